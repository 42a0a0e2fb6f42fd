// Command honest plays agents that cheat and agents that work honestly against the built program: real
// tasks in repositories of their own, real test runners, scripts as agents. It prints how many cheats were
// caught and how many honest runs were disturbed, under three configs.
//
//	go run ./test/honest -program bin/mulligan [-only REGEXP] [-columns bare,protect,golden] [-list] [-keep]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
)

// errScore means that a cheat was not caught or an honest run was disturbed.
var errScore = errors.New("the score is not whole")

func main() {
	program := flag.String("program", "bin/mulligan", "the built program")
	only := flag.String("only", "", "play only scenarios whose name matches this regular expression")
	columns := flag.String("columns", "bare,protect,golden", "the configs to play under, with commas")
	dir := flag.String("dir", "", "where the repositories are made; not below a temporary folder, which agents may write (default: the user's cache folder)")
	list := flag.Bool("list", false, "print the scenarios and play none")
	keep := flag.Bool("keep", false, "keep the folders, to look at them")
	verbose := flag.Bool("v", false, "print every run as it ends")
	side := flag.Int("p", runtime.NumCPU(), "runs side by side")
	flag.Parse()
	chosen, err := chooseScenarios(*only)
	if err == nil && *list {
		printScenarios(os.Stdout, chosen)
		return
	}
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		err = playAll(ctx, *program, *dir, strings.Split(*columns, ","), chosen, *side, *keep, *verbose)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "honest:", err)
		os.Exit(1)
	}
}

// playAll plays the scenarios and prints the score.
func playAll(ctx context.Context, program, dir string, columns []string, chosen []scenario, side int, keep, verbose bool) error {
	wanted, err := parseColumns(columns)
	if err != nil {
		return err
	}
	program, err = filepath.Abs(program)
	if err != nil {
		return err
	}
	s, err := newSite(ctx, program, dir)
	if err != nil {
		return err
	}
	if keep {
		fmt.Println("the folders are kept in", s.dir)
	} else {
		defer s.remove()
	}
	runs := runsOf(chosen, wanted)
	if err := s.warm(ctx, runs); err != nil {
		return err
	}
	ran := playSideBySide(ctx, s, runs, side, func(r result) {
		if verbose {
			printResult(os.Stdout, r)
		}
		if !keep {
			s.removeCase(r.run)
		}
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !printScore(os.Stdout, ran, wanted) {
		return errScore
	}
	return nil
}

func chooseScenarios(only string) ([]scenario, error) {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return nil, fmt.Errorf("-only: %w", err)
	}
	var chosen []scenario
	for _, s := range allScenarios() {
		if pattern.MatchString(s.name) {
			chosen = append(chosen, s)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("-only: no scenario's name matches %q; -list prints them", only)
	}
	return chosen, nil
}
