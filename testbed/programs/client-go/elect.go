package main

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// elect is a candidate for the lease of that name, for as long as it runs. One that loses the lease runs again.
func elect(ctx context.Context, config *rest.Config, namespace, name, identity string) error {
	client, err := coordinationv1.NewForConfig(config)
	if err != nil {
		return err
	}
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: namespace, Name: name},
		Client:     client,
		LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
	}
	for ctx.Err() == nil {
		elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
			Lock:            lock,
			LeaseDuration:   2 * time.Second,
			RenewDeadline:   1500 * time.Millisecond,
			RetryPeriod:     200 * time.Millisecond,
			ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { say(line{Op: "LEADS", Name: identity}) },
				OnStoppedLeading: func() { say(line{Op: "STOPPED", Name: identity}) },
				OnNewLeader:      func(leader string) { say(line{Op: "LEADER", Name: leader}) },
			},
		})
		if err != nil {
			return err
		}
		elector.Run(ctx)
	}
	return nil
}
