// Command ssa-order reads a JSON list of objects from standard input, has Flux's ssa package apply them to a cluster
// that takes everything, and prints them in the order in which they arrive there.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/polling"
	"github.com/fluxcd/cli-utils/pkg/kstatus/polling/engine"
	"github.com/fluxcd/cli-utils/pkg/kstatus/polling/event"
	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/cli-utils/pkg/object"
	"github.com/fluxcd/pkg/ssa"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(input io.Reader, output io.Writer) error {
	var objects []*unstructured.Unstructured
	if err := json.NewDecoder(input).Decode(&objects); err != nil {
		return err
	}
	cluster := &recorder{applied: []*unstructured.Unstructured{}}
	poller := polling.NewStatusPoller(cluster, meta.NewDefaultRESTMapper(nil), polling.Options{
		CustomStatusReaders:  []engine.StatusReader{ready{}},
		ClusterReaderFactory: engine.ClusterReaderFactoryFunc(newIdleReader),
	})
	manager := ssa.NewResourceManager(cluster, poller, ssa.Owner{Field: "ssa-order", Group: "slipway.dev"})
	options := ssa.DefaultApplyOptions()
	options.WaitInterval = time.Millisecond
	if _, err := manager.ApplyAllStaged(context.Background(), objects, options); err != nil {
		return err
	}
	return json.NewEncoder(output).Encode(cluster.applied)
}

// recorder is an empty cluster that takes every object. Whatever else is asked of it is a nil pointer.
type recorder struct {
	client.Client
	applied []*unstructured.Unstructured
}

func (r *recorder) Get(_ context.Context, key client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
	return errors.NewNotFound(schema.GroupResource{}, key.Name)
}

func (r *recorder) Patch(_ context.Context, given client.Object, _ client.Patch, options ...client.PatchOption) error {
	var chosen client.PatchOptions
	chosen.ApplyOptions(options)
	if len(chosen.DryRun) > 0 {
		return nil
	}
	applied, ok := given.(*unstructured.Unstructured)
	if !ok {
		return fmt.Errorf("%T is applied", given)
	}
	r.applied = append(r.applied, applied)
	return nil
}

// ready says of every object that it is ready, so that no stage waits.
type ready struct{}

func (ready) Supports(schema.GroupKind) bool { return true }

func (ready) ReadStatus(_ context.Context, _ engine.ClusterReader, id object.ObjMetadata) (*event.ResourceStatus, error) {
	return &event.ResourceStatus{Identifier: id, Status: status.CurrentStatus}, nil
}

func (r ready) ReadStatusForObject(ctx context.Context, reader engine.ClusterReader, of *unstructured.Unstructured) (*event.ResourceStatus, error) {
	return r.ReadStatus(ctx, reader, object.UnstructuredToObjMetadata(of))
}

// idleReader is for a poller whose status readers do not look at the cluster.
type idleReader struct{ engine.ClusterReader }

func newIdleReader(client.Reader, meta.RESTMapper, object.ObjMetadataSet) (engine.ClusterReader, error) {
	return idleReader{}, nil
}

func (idleReader) Sync(context.Context) error { return nil }
