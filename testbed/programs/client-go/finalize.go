package main

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// controller puts a finalizer on every object of a namespace, and takes it away again when the object is deleted.
type controller struct {
	client    dynamic.ResourceInterface
	store     cache.Store
	finalizer string
}

func finalize(ctx context.Context, config *rest.Config, resource, namespace, finalizer string) error {
	client, gvr, err := dynamicClient(config, resource)
	if err != nil {
		return err
	}
	informer := dynamicinformer.NewFilteredDynamicInformer(client, gvr, namespace, 0, cache.Indexers{}, nil).Informer()
	queue := workqueue.NewTypedRateLimitingQueue(
		workqueue.NewTypedItemExponentialFailureRateLimiter[string](10*time.Millisecond, time.Second))
	add := func(object any) {
		if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object); err == nil {
			queue.Add(key)
		}
	}
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    add,
		UpdateFunc: func(_, object any) { add(object) },
	}); err != nil {
		return err
	}
	go func() {
		<-ctx.Done()
		queue.ShutDown()
	}()
	go informer.RunWithContext(ctx)
	worker := controller{client.Resource(gvr).Namespace(namespace), informer.GetStore(), finalizer}
	for {
		key, quit := queue.Get()
		if quit {
			return nil
		}
		if err := worker.reconcile(ctx, key); err != nil {
			queue.AddRateLimited(key)
		} else {
			queue.Forget(key)
		}
		queue.Done(key)
	}
}

func (c controller) reconcile(ctx context.Context, key string) error {
	found, exists, err := c.store.GetByKey(key)
	if err != nil || !exists {
		return err
	}
	object := found.(*unstructured.Unstructured).DeepCopy()
	held := object.GetFinalizers()
	index := slices.Index(held, c.finalizer)
	op := ""
	switch deleted := object.GetDeletionTimestamp() != nil; {
	case deleted && index >= 0:
		op = "RELEASED"
		object.SetFinalizers(slices.Delete(held, index, index+1))
	case !deleted && index < 0:
		op = "HELD"
		object.SetFinalizers(append(held, c.finalizer))
	default:
		return nil
	}
	_, err = c.client.Update(ctx, object, metav1.UpdateOptions{})
	if errors.IsNotFound(err) {
		return nil
	}
	if err == nil {
		say(line{Op: op, Name: object.GetName()})
	}
	return err
}
