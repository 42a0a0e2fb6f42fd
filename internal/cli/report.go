package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/internal/changes"
	"mulligan/internal/client"
	"mulligan/internal/environ"
	"mulligan/internal/usererror"
	"mulligan/view/sessionreport"
)

func newReport(a *App) *cobra.Command {
	var opt reportOptions
	cmd := &cobra.Command{
		Use:   "report [SESSION]",
		Short: "Write a report of a session, to send to a colleague",
		Long: `Report writes what a session came to and why: the verdict, what verified it, what was asked, the
timeline, each attempt with its evidence and its changes, the cost, and the commands that verify it
again. It is one HTML file that needs no script, font or network, and prints on paper. With
--markdown it is a text for a pull request, of at most 60,000 characters.

A session that still runs, or whose process was killed, is reported as it stands. Secrets are left
out as everywhere; read it before you send it all the same.

` + sessionWords,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.report(cmd.Context(), firstArg(args), opt)
		},
	}
	cmd.Flags().StringVarP(&opt.Output, "output", "o", "", "write to this new file instead of standard output")
	cmd.Flags().BoolVar(&opt.Markdown, "markdown", false, "write Markdown for a pull request")
	return cmd
}

// reportOptions are the flags of `report`.
type reportOptions struct {
	Output   string
	Markdown bool
}

// report writes the report of a session. If its journal is damaged it reports what can be read, and returns the
// damage.
func (a *App) report(ctx context.Context, given string, opt reportOptions) error {
	if opt.Output == "" && !opt.Markdown && environ.IsTerminal(a.Screen) {
		return usererror.Usage("a report in HTML is a file, and standard output is a terminal", "`mulligan report -o report.html`, or `--markdown` to read it here")
	}
	store, s, err := a.client().Open(ctx, given, nil)
	if err != nil {
		return err
	}
	defer store.Close()
	s, running, err := client.NewLiveness(a.Env, store).CurrentStatus(ctx, s)
	if err != nil {
		return err
	}
	collector := sessionreport.NewCollector()
	damage := showEach(store.Read(ctx, s.ID, 1), collector.Apply)
	if damage != nil && collector.State().ID == "" {
		return damage // nothing is left to report
	}
	around := sessionreport.Around{Now: time.Now(), Version: Version, Running: running, Clean: a.Secrets.String}
	if damage != nil {
		around.Damage = damage.Error()
	}
	a.addPatches(ctx, s, collector, &around, !opt.Markdown)
	if err := a.writeReport(collector.Report(around), opt); err != nil {
		return err
	}
	return damage
}

const (
	maxReportPatch  = 2 << 20   // bytes of what the session changed
	maxAttemptPatch = 256 << 10 // bytes of what an attempt changed
)

// addPatches finds what the session changed, and with attempts what each of its attempts did. What cannot be found is
// left out of the report, which says so.
func (a *App) addPatches(ctx context.Context, s mulligan.Summary, c *sessionreport.Collector, around *sessionreport.Around, attempts bool) {
	store, err := a.OpenStore(s.Root)
	if err != nil {
		around.Note = err.Error()
		return
	}
	patch, err := changes.Find(ctx, store, s, c.State(), changes.Attempt{}, false)
	if err != nil {
		around.Note = "What changed cannot be shown: " + err.Error()
		return
	}
	around.Patch, around.Note = clipPatch(patch.Text, maxReportPatch), capitalizeFirst(patch.What)+"."
	around.Patches = map[int]string{}
	if !attempts {
		return
	}
	for _, n := range c.Detailed() {
		if patch, err := changes.Find(ctx, store, s, c.State(), changes.Attempt{Number: n}, false); err == nil {
			around.Patches[n] = clipPatch(patch.Text, maxAttemptPatch)
		}
	}
}

// clipPatch returns at most so many bytes of a patch, in whole lines.
func clipPatch(patch []byte, most int) string {
	if len(patch) <= most {
		return string(patch)
	}
	text := string(patch[:most])
	return text[:strings.LastIndexByte(text, '\n')+1]
}

func capitalizeFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// writeReport writes a report to its file, or to standard output.
func (a *App) writeReport(r *sessionreport.Report, opt reportOptions) error {
	if opt.Output == "" || opt.Output == "-" {
		return writeReportTo(a.Stdout, r, opt.Markdown)
	}
	f, err := os.OpenFile(a.Abs(opt.Output), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return usererror.Usage(opt.Output+" is there already, and report overwrites nothing", "name a new file")
	}
	if err != nil {
		return usererror.Usage(err.Error(), "")
	}
	filtered := a.Filter(f)
	err = errors.Join(writeReportTo(filtered, r, opt.Markdown), filtered.Close(), f.Close())
	if err == nil {
		a.printNotice(fmt.Sprintf("the report is in %s", opt.Output))
	}
	return err
}

func writeReportTo(w io.Writer, r *sessionreport.Report, markdown bool) error {
	if markdown {
		_, err := io.WriteString(w, r.Markdown())
		return err
	}
	return r.HTML(w)
}
