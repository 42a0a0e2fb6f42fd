package detect

import (
	"context"
	"slices"
	"time"

	"mulligan/internal/process"
)

const (
	// TryTime is how long a command is tried.
	TryTime = 10 * time.Second
	// tryAllTime is how long all commands of a repository are tried: those that are left are only looked for.
	tryAllTime = 30 * time.Second
)

// Found is what checks a repository.
type Found struct {
	Kind   string   // what the repository looks like; "" if it was not recognised
	Checks []Tried  // commands that start
	Failed []Tried  // commands that would have been chosen, and do not start
	Maybe  []string // commands that start and may fit
	Notes  []string // what a person should know
}

// Lines returns the commands of the checks.
func (f Found) Lines() []string {
	var list []string
	for _, c := range f.Checks {
		list = append(list, c.Line)
	}
	return list
}

// Find looks at the repository in dir and tries what should check it, in its harmless form. It never returns a
// check that does not start. A repository's own code may run: a test file is imported, a build script built.
// environ is what the commands will have.
func Find(ctx context.Context, dir string, environ []string) (Found, error) {
	return FindWith(ctx, process.NewPool(process.PoolOptions{}), dir, environ)
}

// FindWith is Find with keepers of the caller's.
func FindWith(ctx context.Context, pool *process.Pool, dir string, environ []string) (Found, error) {
	return trier{pool: pool, root: dir, environ: environ, limit: TryTime, until: time.Now().Add(tryAllTime)}.find(ctx)
}

// Look is Find without trying: it starts nothing, and returns what Find would try first.
func Look(dir string, environ []string) Found {
	found, _ := trier{root: dir, environ: environ}.find(context.Background()) // only a context has an error
	return found
}

func (t trier) find(ctx context.Context) (Found, error) {
	project := Inspect(t.root)
	found := Found{Kind: project.Kind, Notes: project.Notes}
	if project.Own != nil {
		own := t.try(ctx, *project.Own)
		if own.Starts() && (own.State != Fails || len(project.Wanted) == 0) {
			found.Checks = []Tried{own}
			found.Maybe = t.listThatStart(slices.Concat(slices.Concat(project.Wanted...), project.Maybe))
			return found, ctx.Err()
		}
		found.Failed = append(found.Failed, own)
	}
	for _, forms := range project.Wanted {
		chosen, ok := t.choose(ctx, forms)
		if ok {
			found.Checks = append(found.Checks, chosen)
		} else {
			found.Failed = append(found.Failed, chosen)
		}
	}
	found.dropEmpty()
	found.Maybe = t.listThatStart(project.Maybe)
	return found, ctx.Err()
}

// dropEmpty drops the commands that find no tests, if there are others: the files of a language may serve
// another purpose.
func (f *Found) dropEmpty() {
	isEmpty := func(c Tried) bool { return c.State == NoTests }
	if !slices.ContainsFunc(f.Checks, func(c Tried) bool { return !isEmpty(c) }) {
		return
	}
	for _, c := range f.Checks {
		if isEmpty(c) {
			f.Notes = append(f.Notes, "`"+c.Line+"` finds no tests, and is left out")
		}
	}
	f.Checks = slices.DeleteFunc(f.Checks, isEmpty)
}

// choose returns the first of several forms of a command that passes, or else the first that starts. ok is
// false if none starts: then it returns the first.
func (t trier) choose(ctx context.Context, forms []Command) (chosen Tried, ok bool) {
	for i, form := range forms {
		if ok && form.Last {
			break
		}
		tried := t.try(ctx, form)
		switch {
		case tried.State == Passes || tried.State == Resolved && !ok:
			return tried, true
		case tried.Starts() && !ok:
			chosen, ok = tried, true
		case i == 0:
			chosen = tried
		}
	}
	return chosen, ok
}

// listThatStart returns the commands whose programs are there. None is started.
func (t trier) listThatStart(commands []Command) []string {
	var lines []string
	for _, c := range commands {
		if t.resolve(c) == "" && !slices.Contains(lines, c.Line) {
			lines = append(lines, c.Line)
		}
	}
	return lines
}
