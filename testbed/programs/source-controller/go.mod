module slipway.dev/testbed/source-controller

go 1.26.8

replace github.com/fluxcd/pkg/artifact => github.com/fluxcd/pkg/artifact v0.18.0

replace github.com/opencontainers/go-digest => github.com/opencontainers/go-digest v1.0.1-0.20220411205349-bde1400a84be
