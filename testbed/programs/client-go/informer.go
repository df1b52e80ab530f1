package main

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// inform keeps a copy of a namespace as every controller does, and says how the copy changes.
func inform(ctx context.Context, config *rest.Config, resource, namespace string) error {
	client, gvr, err := dynamicClient(config, resource)
	if err != nil {
		return err
	}
	informer := dynamicinformer.NewFilteredDynamicInformer(client, gvr, namespace, 0, cache.Indexers{}, nil).Informer()
	handle := func(op string) func(object any) {
		return func(object any) {
			if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = gone.Obj
			}
			if known, ok := object.(*unstructured.Unstructured); ok {
				say(line{Op: op, Name: known.GetName(), ResourceVersion: known.GetResourceVersion()})
			}
		}
	}
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    handle("ADDED"),
		UpdateFunc: func(_, object any) { handle("MODIFIED")(object) },
		DeleteFunc: handle("DELETED"),
	})
	if err != nil {
		return err
	}
	go func() {
		if cache.WaitForCacheSync(ctx.Done(), registration.HasSynced) {
			say(line{Op: "SYNCED"})
		}
	}()
	informer.RunWithContext(ctx)
	return nil
}
