//go:build unix

package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// resolve finds the program and the folder. It checks both before the fork because the system returns the
// same error for either.
func (s Spec) resolve() (*start, error) {
	if len(s.Argv) == 0 || s.Argv[0] == "" {
		return nil, errors.New("no command given")
	}
	env := s.Env
	if env == nil {
		env = os.Environ()
	}
	dir, err := filepath.Abs(s.Dir)
	if err != nil {
		return nil, err
	}
	if s.Dir != "" {
		env = Set(env, "PWD="+dir)
	}
	if info, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("the folder to run it in: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("the folder to run it in: %w", &fs.PathError{Op: "chdir", Path: dir, Err: syscall.ENOTDIR})
	}
	path, err := Find(s.Argv[0], dir, env)
	if err != nil {
		return nil, err
	}
	argv := s.Argv
	if s.Confine != nil && s.Confine.Kind == Bwrap {
		path, argv = s.Confine.wrap(path, argv, dir)
	}
	return &start{
		Path: []byte(path), Argv: convertEach[[]byte](argv), Dir: []byte(dir), Env: convertEach[[]byte](Set(env)),
		Role: s.Role, Confine: s.Confine.encode(),
	}, nil
}

// Find returns the path of a program as Run would start it: a name with a slash is relative to dir, any
// other is looked up in env's PATH. The error is fs.ErrNotExist if there is no such program.
func Find(name, dir string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return path, checkExecutable(path)
	}
	search, _ := Lookup(env, "PATH")
	for _, folder := range filepath.SplitList(search) {
		if !filepath.IsAbs(folder) {
			continue // a program in the workspace must not run by accident
		}
		if path := filepath.Join(folder, name); checkExecutable(path) == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no program %q in PATH: %w", name, fs.ErrNotExist)
}

// checkExecutable returns an error if path is not a file that may be executed.
func checkExecutable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return &fs.PathError{Op: "exec", Path: path, Err: syscall.EISDIR}
	case info.Mode()&0o111 == 0:
		return &fs.PathError{Op: "exec", Path: path, Err: syscall.EACCES}
	}
	return nil
}

// explainStartFailure returns the error of an exec, with a hint where the system's text misleads.
func explainStartFailure(path string, errno syscall.Errno) error {
	err := &fs.PathError{Op: "exec", Path: path, Err: errno}
	switch errno {
	case syscall.ENOENT:
		return fmt.Errorf("%w: the file is there, but not the interpreter that its first line names", err)
	case syscall.ENOEXEC:
		return fmt.Errorf("%w: a script needs a first line that names its interpreter (#!/bin/sh)", err)
	}
	return err
}

// MayWrite reports whether this process may write a path, or make it in a folder that is there.
func MayWrite(path string) bool {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		path = filepath.Dir(path)
		info, err = os.Lstat(path)
	}
	return err == nil && (info.IsDir() || info.Mode().IsRegular()) && unix.Access(path, unix.W_OK) == nil
}
