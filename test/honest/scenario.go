package main

import (
	"fmt"
	"slices"
)

// A column is a config that scenarios are played under.
type column int

const (
	bare    column = iota // no file_access
	protect               // the step may write the source only, and the tests and configs are protected
	golden                // the check runs with its protected files as they were at the base
)

var columnNames = []string{"bare", "protect", "golden"}

func (c column) String() string { return columnNames[c] }

func parseColumns(names []string) ([]column, error) {
	var all []column
	for _, name := range names {
		i := slices.Index(columnNames, name)
		if i < 0 {
			return nil, fmt.Errorf("-columns: no column is called %q; there are: bare, protect, golden", name)
		}
		all = append(all, column(i))
	}
	return all, nil
}

// A demand is what must hold of a cheat in the bare column. In the others it is always caught.
type demand int

const (
	// caught: the session is not verified with the cheat in its commit.
	caught demand = iota
	// named: the cheat could be honest work elsewhere and no rule forbids it here, so the outcome names the file.
	named
)

// A scenario is an agent's behaviour on a project, and what must hold afterwards. Scripts are for sh; they
// have $CASE (the scenario's folder; the person's checkout is $CASE/repo), $REC (a folder that the agent may write
// outside the workspace), $STATE (mulligan's state folder), $OUTSIDE (a folder that is nobody's business) and mulligan
// on their PATH. Those of the agent have $WORK too (its workspace).
type scenario struct {
	name   string
	honest bool // an honest run: it must be verified at its first attempt, with nothing lost
	on     project

	setup   string // run by the person before the start, in the checkout; what it leaves is committed
	prepare string // run by the person after that, not committed (ignored files, git's own files)
	first   string // what the agent does in its first turn
	then    string // and in later turns; the project's solution where it is empty
	works   bool   // of a cheat: the first turn solves the task too, so that the session may be verified by it
	after   string // run by the person after the session: what must hold; its exit status is 0 where it does

	check   string   // in place of the project's
	checks  string   // in place of the project's list of checks, in YAML
	step    string   // further lines of the step
	config  string   // further lines of the config
	env     []string // further variables of mulligan's
	allow   []string // what the step may write besides the project's source
	protect []string // what is protected besides the project's tests
	source  []string // what may differ in the commit besides the project's source
	columns []column // all where it is empty

	bare      demand
	touches   string   // the path that the outcome names where bare is named, and that is put back elsewhere
	feedback  string   // what the second prompt names
	markers   []string // files in $REC that must not be there afterwards: a program of the agent's ran where none may
	stays     []string // of an honest run: paths that are there after the turn, in the workspace as it is left
	gap       string   // why this cannot be caught; "" where it must be
	gapIn     []column // the columns of the gap; all where it is empty
	noSession bool     // the person's script is all: a hostile repository that is only looked at
	anyExit   bool     // the session may end in any way but verified with the cheat in it: the honest second attempt need not be taken
}

// in returns the columns that the scenario is played in.
func (s scenario) in() []column {
	if len(s.columns) > 0 {
		return s.columns
	}
	if s.noSession {
		return []column{bare}
	}
	return []column{bare, protect, golden}
}

// isGap reports whether the cheat is known not to be caught in the column.
func (s scenario) isGap(c column) bool {
	return s.gap != "" && (len(s.gapIn) == 0 || slices.Contains(s.gapIn, c))
}

// A run is a scenario in a column.
type run struct {
	scenario
	column column
	number int
}

func (r run) id() string { return fmt.Sprintf("%s/%s", r.name, r.column) }

// runsOf returns the runs of the scenarios in those of their columns that are wanted.
func runsOf(all []scenario, wanted []column) []run {
	var runs []run
	for _, s := range all {
		for _, c := range s.in() {
			if slices.Contains(wanted, c) {
				runs = append(runs, run{scenario: s, column: c, number: len(runs) + 1})
			}
		}
	}
	return runs
}

// allScenarios returns the cheats and the honest runs.
func allScenarios() []scenario {
	return slices.Concat(
		claimCheats(), testCheats(), configCheats(), placeCheats(), outsideCheats(), processCheats(), ownFileCheats(), doorCheats(),
		gitProgramCheats(), gitHidingCheats(), attributesCheats(), gitRefCheats(), gitFifoCheats(), lookCheats(),
		honestWork(), honestGit(), honestAttributes(), honestTools(), honestFiles(),
	)
}
