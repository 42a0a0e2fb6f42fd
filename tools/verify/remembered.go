package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// hashSources returns a hash of all that an analysis of the whole repository depends on: go, its settings, the Go files
// and the modules, those of the tools too.
func hashSources(ctx context.Context, r *run) (string, error) {
	settings, err := r.newCommand(ctx, nil, "go", "env", "GOVERSION", "GOARCH", "GOFLAGS", "GOEXPERIMENT", "GOWORK").Output()
	if err != nil {
		return "", fmt.Errorf("go env: %w", err)
	}
	sum := sha256.New()
	sum.Write(settings)
	err = filepath.WalkDir(r.root, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && path != r.root && (name == "node_modules" || name[0] == '.'):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") && name != "go.mod" && name != "go.sum":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(r.root, path)
		fmt.Fprintf(sum, "%q %x\n", below, sha256.Sum256(text))
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

// isRemembered reports whether an analysis has found nothing in the same sources before.
func isRemembered(analysis, sources string) bool {
	text, err := os.ReadFile(memoryOf(analysis))
	return err == nil && string(text) == sources
}

// remember notes that an analysis has found nothing in the sources. Without a folder for caches it does nothing.
func remember(analysis, sources string) error {
	path := memoryOf(analysis)
	if path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(sources), 0o644)
}

// memoryOf returns the file with the sources in which an analysis has found nothing, or "".
func memoryOf(analysis string) string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "mulligan-verify", analysis)
}
