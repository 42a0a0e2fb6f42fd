// Command retrysim measures what ways to retry are worth, on agents that are played by chance: how many
// of N tasks are solved, and how many for 1,000 tokens. The policies are the real ones of package retry,
// with the real fingerprints; the agents follow published figures, which it prints with the table. The
// same seed gives the same table.
//
//	go run ./test/retrysim [-tasks N] [-seed N]
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	tasks := flag.Int("tasks", 600, "tasks of each scenario")
	seed := flag.Uint64("seed", 9, "of the chances")
	flag.Parse()
	if *tasks < 1 {
		fmt.Fprintln(os.Stderr, "retrysim: -tasks must be 1 or more")
		os.Exit(2)
	}
	printTable(os.Stdout, *tasks, *seed)
}

const assumptions = `Agents that are played by chance; the policies and the fingerprints are the real ones (package retry).
%d tasks per scenario, at most %d retries each, seed %d; all ways to retry have the same luck.

Assumptions:
- Most of what feedback gains comes in its first two rounds (arXiv 2604.10508, seven models, five attempts; also 2504.06939).
  An assertion that fails is repaired in about 45 %% of the tries (2604.10508).
- In one conversation the chance of a repair decays exponentially: 60-80 %% of it is gone after two or three
  attempts (arXiv 2506.18403, Scientific Reports 15, 44120). Here a further try has %.0f %% of the chance of the one before:
  %.0f %% is gone after two, %.0f %% after three. A fresh start brings it back (72.6 %% -> 82.8 %% and 84.1 %% -> 92.1 %% of tasks solved
  there, with as many attempts).
- A blind retry is not told what failed. On a task that has defeated it already it has %.0f %% of a first try's chance. That is kind to it:
  99 more samples took a model from 28.8 %% to 70.2 %% of tasks (arXiv 2107.03374), which is about a thirtieth of it each.
- Tasks differ: each one's chances are 0.4 to 1.6 times those of its scenario.
- Tokens: reading the task and the code %d, work %d, feedback %d, notes of a fresh start %d; what the conversation holds is read again
  during an attempt at the price of one whole reading (ten calls at a cached tenth). "read free" counts no reading again: the worst case for a
  fresh start, which reads the code anew. A stronger agent's tokens count %d times.
- History: the sessions before it in the same scenario, a window of %d for the rate, all of them for the strategies.

`

// printTable plays all scenarios and prints what came of them.
func printTable(w io.Writer, tasks int, seed uint64) {
	fmt.Fprintf(w, assumptions, tasks, retries, seed, 100*keptPerTry, 100*(1-keptPerTry*keptPerTry), 100*(1-keptPerTry*keptPerTry*keptPerTry),
		100*blindShare,
		readingTokens, workTokens, feedbackTokens, notesTokens, strongerPrice, window)
	fmt.Fprintf(w, "%-44s %-22s %7s %9s %14s %12s\n", "", "", "solved", "attempts", "solved/1,000", "solved/1,000")
	fmt.Fprintf(w, "%-44s %-22s %7s %9s %14s %12s\n", "scenario", "way to retry", "", "per task", "tokens", "read free")
	for _, s := range scenarios() {
		name := s.name
		for _, way := range ways() {
			r := play(s, way, tasks, seed)
			fmt.Fprintf(w, "%-44s %-22s %6.1f%% %9.2f %14.4f %12.4f\n", name, way.name, 100*r.solvedShare(), r.attemptsPerTask(), r.perThousand(), r.perThousandFree())
			name = ""
		}
		fmt.Fprintln(w)
	}
}
