// Command bench measures the built program as a user would meet it: real repositories in a
// temporary folder, a real agent program, the real journal. Every figure stands beside
// what the bare thing costs on the same machine in the same run (a process start, an
// fsync, a bash loop), because only the ratio means anything on another machine.
//
//	go run ./test/bench -program bin/mulligan [-only gap,first,job,large,rules,start,output,distill,long,hooks,stop,loop,guard,agents,year,history,screen,page,telemetry]
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The roles that this program plays when mulligan starts it.
const (
	asAgent  = "fake-agent"
	asSpew   = "spew"
	asClaude = "fake-claude"
	asTimer  = "timer"
	asAsker  = "ask-past"
	asReader = "read-file"
)

func main() {
	if len(os.Args) > 1 && slices.Contains([]string{asAgent, asSpew, asClaude, asTimer, asAsker, asReader}, os.Args[1]) {
		if err := play(os.Args[1], os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	program := flag.String("program", "bin/mulligan", "the built program")
	dir := flag.String("dir", "", "where the repositories and the journal are made (default: the temporary folder)")
	only := flag.String("only", "", "groups to measure, with commas: "+groupNames())
	size := flag.Int64("bytes", 1<<30, "how much the printing check and the printing agent print")
	flag.Parse()
	if err := measureGroups(*program, *dir, *only, *size); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// A group measures a few figures that belong together.
type group struct {
	name string
	do   func(*site, *table) error
}

// groups returns the groups in the order in which they are measured.
func groups() []group {
	return []group{
		{"gap", measureGaps},
		{"first", measureFirst},
		{"job", measureJob},
		{"large", measureLarge},
		{"rules", measureRules},
		{"start", measureStartUp},
		{"output", measureOutput},
		{"distill", measureDistilling},
		{"long", measureLongSession},
		{"hooks", measureHooks},
		{"stop", measureStopHooks},
		{"loop", measureLongLoop},
		{"guard", measureGuard},
		{"agents", measureAgents},
		{"year", measureYear},
		{"history", measureHistory},
		{"screen", measureScreen},
		{"page", measurePage},
		{"telemetry", measureTelemetry},
	}
}

// measureGroups measures the named groups, or all where only is empty. A group that cannot be
// measured does not keep the others from it.
func measureGroups(program, dir, only string, size int64) error {
	var chosen []string
	if only != "" {
		chosen = strings.Split(only, ",")
	}
	for _, name := range chosen {
		if !slices.ContainsFunc(groups(), func(g group) bool { return g.name == name }) {
			return fmt.Errorf("no group is called %q; there are: %s", name, groupNames())
		}
	}
	program, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	s, err := newSite(program, dir, size)
	if err != nil {
		return err
	}
	defer s.remove()

	t := &table{out: os.Stdout}
	if err := t.printHead(s); err != nil {
		return err
	}
	failed := 0
	for _, g := range groups() {
		if chosen != nil && !slices.Contains(chosen, g.name) {
			continue
		}
		if err := g.do(s, t); err != nil {
			failed++
			t.note("%s: could not be measured: %v", g.name, err)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d groups could not be measured", failed)
	}
	return nil
}

func groupNames() string {
	var names []string
	for _, g := range groups() {
		names = append(names, g.name)
	}
	return strings.Join(names, ", ")
}
