//go:build tools

// Package tools names the programs that this module is there to build.
package tools

import (
	_ "github.com/fluxcd/source-controller"
)
