package main

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestEarlyStepsRunBesideThoseBefore(t *testing.T) {
	met := make(chan string)
	meet := func(word string) func(context.Context, *run) error {
		return func(ctx context.Context, _ *run) error {
			select {
			case met <- word:
			case <-met:
			case <-ctx.Done():
				return ctx.Err()
			}
			return nil
		}
	}
	steps := []step{
		{name: "first", do: meet("first")},
		{name: "second", early: true, do: meet("second")},
		{name: "third", early: true, do: func(_ context.Context, r *run) error { return r.notRun("a thing", "none is here") }},
		{name: "fourth", early: true, do: func(context.Context, *run) error { return errors.New("broke") }},
	}
	var out bytes.Buffer
	r := &run{out: &out}
	for _, s := range r.startEarly(t.Context(), steps) {
		r.runStep(t.Context(), s)
	}
	if !slices.Equal(r.missing, []string{"a thing: none is here"}) || !slices.Equal(r.failed, []string{"fourth"}) {
		t.Errorf("not run %q, failed %q", r.missing, r.failed)
	}
	var order []string
	for line := range strings.Lines(out.String()) {
		if words := strings.Fields(line); len(words) > 1 {
			order = append(order, words[0]+" "+words[1])
		}
	}
	if want := []string{"first ok", "second ok", "third not", "fourth failed"}; !slices.Equal(order, want) {
		t.Errorf("shown %q, want %q:\n%s", order, want, &out)
	}
}
