// Command distill measures how much of real failing outputs the distiller keeps: the items that
// are whole in its text, beside those in the head and the tail of the same size.
//
//	go run ./test/distill [-folder seen|apart] [-only REGEXP] [-limit N] [-v]
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"mulligan/feedback"
	"mulligan/test/corpus"
)

// options are what the command line asks for.
type options struct {
	dir, folder string
	only        *regexp.Regexp
	limit       int
	verbose     bool
}

func main() {
	var o options
	flag.StringVar(&o.dir, "corpus", "feedback/testdata/corpus", "the folder of the corpus")
	flag.StringVar(&o.folder, "folder", "", "print the cases of this folder: seen or apart (default: those of seen, and of apart the totals)")
	only := flag.String("only", "", "measure the cases whose name matches this regular expression")
	flag.IntVar(&o.limit, "limit", feedback.DefaultLimit, "how many characters may be spent")
	flag.BoolVar(&o.verbose, "v", false, "print what is missing of each item")
	flag.Parse()
	var err error
	if o.only, err = regexp.Compile(*only); err == nil {
		err = measureFolders(os.Stdout, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "distill:", err)
		os.Exit(1)
	}
}

// measureFolders prints the figures of the folders that are asked for.
func measureFolders(w io.Writer, o options) error {
	if o.folder != "" && o.folder != corpus.Seen && o.folder != corpus.Apart {
		return fmt.Errorf("no folder is called %q; there are: %s, %s", o.folder, corpus.Seen, corpus.Apart)
	}
	fmt.Fprintf(w, "%-34s %10s %6s %5s %6s %14s\n", "", "bytes", "items", "fit", "kept", "head and tail")
	var totals []string
	for _, folder := range []string{corpus.Seen, corpus.Apart} {
		if o.folder != "" && o.folder != folder {
			continue
		}
		show := w
		if folder == corpus.Apart && o.folder == "" {
			show = io.Discard
		}
		lines, err := measureCases(show, folder, o)
		if err != nil {
			return err
		}
		totals = append(totals, lines...)
	}
	_, err := fmt.Fprintf(w, "\n%s\n", strings.Join(totals, "\n"))
	return err
}

// measureCases prints a line for each case of a folder and returns the folder's totals.
func measureCases(w io.Writer, folder string, o options) (totals []string, err error) {
	cases, err := corpus.Load(o.dir, folder)
	if err != nil {
		return nil, err
	}
	var all, long corpus.Tally
	for _, c := range cases {
		if !o.only.MatchString(c.Name) {
			continue
		}
		for _, fault := range c.CheckItems() {
			fmt.Fprintln(w, "fault:", fault)
		}
		made, err := feedback.Distill(bytes.NewReader(c.Output), o.limit, "")
		if err != nil {
			return nil, err
		}
		var one corpus.Tally
		one.Add(c, made.Text, o.limit)
		fmt.Fprintf(w, "%-34s %10d %6d %5d %6d %14d\n", folder+"/"+c.Name, len(c.Output), one.Items, one.Fitting, one.Kept.Whole, one.HeadAndTail.Whole)
		if o.verbose {
			printMissing(w, c, made.Text)
		}
		all.Merge(one)
		if c.IsLong(o.limit) {
			long.Merge(one)
		}
	}
	return []string{formatTotal(folder+", all", all), formatTotal(folder+", longer than the limit", long)}, nil
}

// printMissing prints what the text does not have of each item.
func printMissing(w io.Writer, c corpus.Case, made string) {
	text := c.NewText(made)
	for _, item := range c.Items {
		if missing := text.FindMissing(item); len(missing) > 0 {
			fmt.Fprintf(w, "    %s %s: not there: %q\n", item.Name, item.Place, missing)
		}
	}
}

func formatTotal(name string, t corpus.Tally) string {
	format := func(s corpus.Score) string {
		return fmt.Sprintf("%d (%.1f %%; mean of the cases %.1f %%)", s.Whole, t.Share(s), t.Mean(s))
	}
	return fmt.Sprintf("%-29s %d cases, %d items, %d fit: kept whole %s, head and tail %s",
		name, t.Cases, t.Items, t.Fitting, format(t.Kept), format(t.HeadAndTail))
}
