package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/cli"
	"mulligan/internal/lockfile"
	"mulligan/journal/jetstream"
)

// A record is the result of a run, in words that do not depend on when and where it ran.
type record struct {
	exits  []int
	git    string   // refs, commits with their trees, people and messages, HEAD, status; attempts in the store
	files  string   // of the checkout
	events string   // of every session; taking up leaves no trace in them
	ran    []string // what children noted
	beside []string // and those that run beside the rest
	faults []string // what no run may leave
}

func (r *run) record(ctx context.Context, exits []int) (*record, error) {
	sessions, events, err := r.events(ctx)
	if err != nil {
		return nil, err
	}
	words := r.words(sessions)
	git, wrong := r.git(ctx, words)
	files, err := r.files()
	if err != nil {
		return nil, err
	}
	noted := func(name string) []string {
		text, _ := os.ReadFile(filepath.Join(r.dir, name))
		return strings.Split(words(string(text)), "\n")
	}
	return &record{
		exits: exits, git: git, files: words(files), events: words(events),
		ran: noted("ran"), beside: noted("ran-beside"), faults: append(wrong, r.faults()...),
	}, nil
}

// differences returns how a run that was killed differs from this one, which was not.
func (want *record) differences(got *record, kills int) []string {
	found := slices.Clone(got.faults)
	if !slices.Equal(want.exits, got.exits) {
		found = append(found, fmt.Sprintf("exit codes %v, want %v", got.exits, want.exits))
	}
	for _, part := range []struct{ what, want, got string }{
		{"git", want.git, got.git},
		{"files", want.files, got.files},
		{"events", want.events, got.events},
		{"what children noted", compact(want.ran), compact(got.ran)},
		{"what children beside noted", compact(want.beside), compact(got.beside)},
	} {
		if part.want != part.got {
			found = append(found, part.what+" differ:\n"+indent(lineDiff(part.want, part.got)))
		}
	}
	// Each kill may cost what was in flight once more, and nothing else.
	for _, part := range []struct{ want, got []string }{{want.ran, got.ran}, {want.beside, got.beside}} {
		if extra := len(part.got) - len(part.want); extra > kills {
			found = append(found, fmt.Sprintf("%d children too many after %d kills:\n%s", extra, kills, indent(strings.Join(part.got, "\n"))))
		}
	}
	return found
}

// compact returns the lines without those that were run again.
func compact(lines []string) string { return strings.Join(slices.Compact(slices.Clone(lines)), "\n") }

// lineDiff returns the lines around the first difference.
func lineDiff(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	show := func(lines []string) string {
		return strings.Join(lines[min(max(i-2, 0), len(lines)):min(i+6, len(lines))], "\n")
	}
	return "want, from line " + fmt.Sprint(max(i-1, 1)) + ":\n" + show(a) + "\ngot:\n" + show(b)
}

var (
	sessionID = regexp.MustCompile(`\d{8}-\d{6}-[a-z0-9]{4}`)
	// commitInNote is the commit of an agent in what a note says of branches: it has the time of the run.
	commitInNote = regexp.MustCompile(`\b(at|up to) [0-9a-f]{10}\b`)
	// repositoryFolder is the folder of a repository in the state folder: its name has a digest of where that is.
	repositoryFolder = regexp.MustCompile(`/proj-[0-9a-f]{12}/`)
	sessionBranch    = regexp.MustCompile(`(mulligan/[a-z0-9-]*)\b([a-z0-9]{4})\b`)
)

// words returns a function that replaces what differs from run to run: the folder, and the ids of
// sessions and the ends of them in the names of their branches, which are named in their order. An id
// that no session has stays, and is a difference.
func (r *run) words(sessions []mulligan.Summary) func(string) string {
	names := map[string]string{}
	for i, s := range sessions {
		names[s.ID] = fmt.Sprintf("SESSION%d", i+1)
		names[s.ID[strings.LastIndexByte(s.ID, '-')+1:]] = fmt.Sprintf("SESSION%d", i+1)
	}
	name := func(id string) string { return cmp.Or(names[id], id) }
	return func(text string) string {
		text = repositoryFolder.ReplaceAllString(strings.ReplaceAll(text, r.dir, "DIR"), "/proj-KEY/")
		text = commitInNote.ReplaceAllString(text, "$1 COMMIT")
		text = sessionID.ReplaceAllStringFunc(text, name)
		return sessionBranch.ReplaceAllStringFunc(text, func(branch string) string {
			parts := sessionBranch.FindStringSubmatch(branch)
			return parts[1] + name(parts[2])
		})
	}
}

// files returns the contents of the checkout, ignored files too.
func (r *run) files() (string, error) {
	var b strings.Builder
	root := os.DirFS(filepath.Join(r.dir, "proj"))
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == ".git" {
			return skipGit(path, err)
		}
		if d.Type().IsRegular() {
			data, err := fs.ReadFile(root, path)
			fmt.Fprintf(&b, "%s: %q\n", path, data)
			return err
		}
		return nil
	})
	return b.String(), err
}

func skipGit(path string, err error) error {
	if path == ".git" {
		return fs.SkipDir
	}
	return err
}

// events reads the journal: every session, oldest first.
func (r *run) events(ctx context.Context) (sessions []mulligan.Summary, text string, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	store, err := jetstream.Open(ctx, jetstream.Options{Dir: filepath.Join(r.dir, "state", "mulligan"), Version: cli.Version, Mode: jetstream.Short})
	if err != nil {
		return nil, "", err
	}
	defer store.Close()
	if sessions, err = store.Sessions(ctx); err != nil {
		return nil, "", err
	}
	var b strings.Builder
	for _, s := range sessions {
		fmt.Fprintf(&b, "session %s\n", s.ID)
		if err := r.scenario.tell(&b, store.Read(ctx, s.ID, 1)); err != nil {
			return nil, "", fmt.Errorf("session %s: %w", s.ID, err)
		}
	}
	return sessions, b.String(), nil
}

// faults returns the processes and locks that are left behind, and the complaints of children.
func (r *run) faults() (found []string) {
	if wrong, err := os.ReadFile(filepath.Join(r.dir, "wrong")); err == nil {
		found = append(found, "a child found:\n"+indent(string(wrong)))
	}
	if left := waitForProcesses(r.dir); len(left) > 0 {
		found = append(found, "processes left behind:\n"+indent(strings.Join(left, "\n")))
	}
	// A process that ends has no environment any more, in which waitForProcesses looks, a moment before its files are closed.
	ctx, cancel := context.WithTimeout(context.Background(), leftPatience)
	defer cancel()
	locks, _ := filepath.Glob(filepath.Join(r.dir, "state", "mulligan", "repositories", "*", "*", "session"))
	for _, path := range locks {
		lock, err := lockfile.LockWait(ctx, path)
		if err != nil {
			found = append(found, "a lock is left: "+err.Error())
			continue
		}
		lock.Unlock()
	}
	return found
}

func short(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
