package page

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"mulligan"
	"mulligan/internal/client"
	"mulligan/internal/clock"
	"mulligan/internal/environ"
	"mulligan/internal/sessions"
	"mulligan/journal/jetstream"
)

const (
	// listPause is the time between two readings of the list of sessions while a page is open.
	listPause = 300 * time.Millisecond
	// listAge is how old the list may be that a page is made of, and quietAge if no process hosts the journal.
	listAge  = 150 * time.Millisecond
	quietAge = 15 * time.Second
	// keptWatches is how many sessions that nobody looks at are held.
	keptWatches = 8
)

// An entry is a session in the list.
type entry struct {
	mulligan.Summary
	running bool   // a process runs it
	title   string // of a task that is a file; "" if it is not known
}

// A gallery holds the sessions that pages show. It is safe for concurrent use.
type gallery struct {
	env    *environ.Env
	client client.Client
	group  sync.WaitGroup
	news   *signal // of changes of the list, and of sessions that are watched

	mu      sync.Mutex
	list    []entry
	damage  error     // some sessions cannot be read
	read    time.Time // when the list was
	quiet   time.Time // when this process let go of the journal, if no other has hosted it since
	watches map[string]*held
	looking int // pages that are open
	titles  titles
}

// held is a watch with the number of those who use it.
type held struct {
	*watch
	users int
	used  time.Time
	stop  context.CancelFunc
}

func newGallery(env *environ.Env) *gallery {
	return &gallery{env: env, client: client.New(env), watches: map[string]*held{}, news: newSignal(), titles: titles{known: map[string]string{}}}
}

// run reads the list periodically while a page is open, until ctx ends.
func (g *gallery) run(ctx context.Context) {
	defer g.group.Wait()
	for tick := time.NewTicker(listPause); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
		g.mu.Lock()
		idle := g.looking == 0
		g.mu.Unlock()
		if !idle {
			_, _ = g.entries(ctx) // the next time tells; pages show what was read last
		}
	}
}

// entries returns the sessions of every repository, the newest first. The error is the damage of some of
// them, or why none could be read.
func (g *gallery) entries(ctx context.Context) ([]entry, error) {
	g.mu.Lock()
	list, damage, fresh := g.list, g.damage, time.Since(g.read) < listAge || g.isQuiet()
	g.mu.Unlock()
	if fresh {
		return list, damage
	}
	return g.refresh(ctx)
}

// newEntries is entries for a person who has just loaded a page: what began a moment ago is among them.
func (g *gallery) newEntries(ctx context.Context) ([]entry, error) {
	g.mu.Lock()
	list, damage, quiet := g.list, g.damage, g.isQuiet()
	g.mu.Unlock()
	if quiet {
		return list, damage
	}
	return g.refresh(ctx)
}

// isQuiet reports whether no process has hosted the journal since the list was read, so that nothing was
// written: a viewer that read it all the same would host it again and again. It must be called with mu held.
func (g *gallery) isQuiet() bool {
	left, hosted := g.lastHosted()
	return !hosted && left.Equal(g.quiet) && time.Since(g.read) < quietAge
}

// lastHosted is jetstream.LastHosted of the embedded journal. Any other has a host.
func (g *gallery) lastHosted() (left time.Time, hosted bool) {
	opt, err := g.env.JournalOptions()
	if err != nil || opt.Engine != jetstream.Embedded {
		return time.Time{}, true
	}
	return jetstream.LastHosted(opt.Dir)
}

// refresh reads the list. A viewer hosts the journal for no longer than that.
func (g *gallery) refresh(ctx context.Context) ([]entry, error) {
	list, hosted, damage, err := g.readList(ctx)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.quiet = time.Time{}
	if left, other := g.lastHosted(); hosted && !other {
		g.quiet = left
	}
	if !slices.Equal(list, g.list) {
		g.news.notify()
	}
	g.list, g.damage, g.read = list, damage, time.Now()
	for _, e := range list {
		if w := g.watches[e.ID]; w != nil {
			w.lookAgain(e.Summary, e.running)
		}
	}
	return list, damage
}

// hostTries is how often the list is read while the processes that host the journal go.
const hostTries = 10

// readList reads the list, again if the process that hosts the journal ends meanwhile. hosted means that this process
// had to host the journal.
func (g *gallery) readList(ctx context.Context) (list []entry, hosted bool, damage, err error) {
	for try := 1; ; try++ {
		list, hosted, damage, err = g.readOnce(ctx)
		if !errors.Is(err, jetstream.ErrHostGone) || try == hostTries || ctx.Err() != nil {
			return list, hosted, damage, err
		}
		clock.Sleep(ctx, 20*time.Millisecond)
	}
}

// readOnce is readList over one connection.
func (g *gallery) readOnce(ctx context.Context) (list []entry, hosted bool, damage, err error) {
	store, err := g.env.OpenJournal(ctx, jetstream.Viewer)
	if err != nil {
		return nil, false, nil, err
	}
	defer store.Close()
	all, err := store.Sessions(ctx)
	if err != nil && !jetstream.Damaged(err) {
		return nil, false, nil, err
	}
	damage = err
	live := client.NewLiveness(g.env, store)
	for _, s := range slices.Backward(all) {
		now, running, err := live.CurrentStatus(ctx, s)
		if err != nil {
			now = s
		}
		list = append(list, entry{Summary: now, running: running})
	}
	slices.SortStableFunc(list, func(a, b entry) int { return b.Updated.Compare(a.Updated) })
	g.titles.fill(ctx, store, list)
	return list, store.Hosting(), damage, nil
}

// look counts a page that is open. The caller calls leave when it is closed.
func (g *gallery) look() (leave func()) {
	g.mu.Lock()
	g.looking++
	g.mu.Unlock()
	return sync.OnceFunc(func() {
		g.mu.Lock()
		g.looking--
		g.mu.Unlock()
	})
}

// find returns a session by its id, as the list has it.
func (g *gallery) find(ctx context.Context, id string) (entry, error) {
	named := func(e entry) bool { return e.ID == id }
	list, err := g.entries(ctx)
	if !slices.ContainsFunc(list, named) {
		list, err = g.refresh(ctx) // it may have begun a moment ago
	}
	if i := slices.IndexFunc(list, named); i >= 0 {
		return list[i], nil
	}
	if err != nil && !jetstream.Damaged(err) {
		return entry{}, err
	}
	var all []mulligan.Summary
	for _, e := range slices.Backward(list) {
		all = append(all, e.Summary)
	}
	s, missing := sessions.FindByName(all, id)
	if missing != nil {
		return entry{}, cmp.Or(err, missing)
	}
	return entry{Summary: s}, errMoved
}

// errMoved means that a session was named by less than its id.
var errMoved = errors.New("the session has a longer name")

// open returns the watch of a session, which is read if it was not yet. The caller calls release when it
// needs it no longer.
func (g *gallery) open(ctx context.Context, e entry) (w *watch, release func()) {
	g.mu.Lock()
	h := g.watches[e.ID]
	if h == nil {
		following, stop := context.WithCancel(context.WithoutCancel(ctx))
		h = &held{watch: newWatch(g.client, e.ID, g.news), stop: stop}
		g.watches[e.ID] = h
		g.group.Go(func() { h.run(following, e.Events) })
	}
	h.users++
	g.mu.Unlock()
	h.lookAgain(e.Summary, e.running)
	return h.watch, sync.OnceFunc(func() { g.release(h) })
}

// release counts a user of a watch less, and lets go of those that nobody has used for the longest time.
func (g *gallery) release(h *held) {
	g.mu.Lock()
	defer g.mu.Unlock()
	h.users--
	h.used = time.Now()
	var idle []*held
	for _, w := range g.watches {
		if w.users == 0 {
			idle = append(idle, w)
		}
	}
	slices.SortFunc(idle, func(a, b *held) int { return b.used.Compare(a.used) })
	for i, w := range idle {
		if i >= keptWatches {
			w.stop()
			delete(g.watches, w.id)
		}
	}
}

// close ends all watches.
func (g *gallery) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for id, w := range g.watches {
		w.stop()
		delete(g.watches, id)
	}
}
