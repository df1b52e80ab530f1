// Command client-go is a client of a cluster that is made with client-go, as controllers are. It prints what it sees,
// one JSON object a line, until its standard input ends:
//
//	client-go informer RESOURCE.VERSION.GROUP NAMESPACE
//	client-go elect NAMESPACE NAME IDENTITY
//	client-go finalize RESOURCE.VERSION.GROUP NAMESPACE FINALIZER
//
// The cluster is that of KUBECONFIG. Whether lists are streamed is said by KUBE_FEATURE_WatchListClient.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	config.QPS = -1 // no limit
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return recorder{next} })
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	switch {
	case len(args) == 3 && args[0] == "informer":
		return inform(ctx, config, args[1], args[2])
	case len(args) == 4 && args[0] == "elect":
		return elect(ctx, config, args[1], args[2], args[3])
	case len(args) == 4 && args[0] == "finalize":
		return finalize(ctx, config, args[1], args[2], args[3])
	default:
		return fmt.Errorf("%q: not understood; see main.go", args)
	}
}

// line is what is printed: Op always, the rest as it fits.
type line struct {
	Op              string `json:"op"`
	Name            string `json:"name,omitempty"`
	ResourceVersion string `json:"resourceVersion,omitempty"`
	URL             string `json:"url,omitempty"`
	ContentType     string `json:"contentType,omitempty"`
	Status          int    `json:"status,omitempty"`
}

var output sync.Mutex

func say(said line) {
	output.Lock()
	defer output.Unlock()
	_ = json.NewEncoder(os.Stdout).Encode(said)
}

// recorder says which requests are sent, and how they are answered.
type recorder struct{ next http.RoundTripper }

func (r recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.next.RoundTrip(request)
	said := line{Op: request.Method, URL: request.URL.RequestURI(), ContentType: request.Header.Get("Content-Type")}
	if err == nil {
		said.Status = response.StatusCode
	}
	say(said)
	return response, err
}

func dynamicClient(config *rest.Config, resource string) (dynamic.Interface, schema.GroupVersionResource, error) {
	parsed, _ := schema.ParseResourceArg(resource)
	if parsed == nil {
		return nil, schema.GroupVersionResource{}, fmt.Errorf("%q: not RESOURCE.VERSION.GROUP", resource)
	}
	client, err := dynamic.NewForConfig(config)
	return client, *parsed, err
}
