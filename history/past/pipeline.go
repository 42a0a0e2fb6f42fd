package past

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"mulligan"
	"mulligan/history"
	"mulligan/internal/durable"
)

// maxRecent is how many of a pipeline's newest sessions its snapshot has one by one.
const maxRecent = 1000

// A pipeline is what a decision asks about a pipeline or a loop. Its file has a line for what is here,
// and then one for each of the recent sessions, the newest first: a question reads no more of them than
// its window has.
type pipeline struct {
	Version int    `json:"v"`
	Name    string `json:"pipeline"`
	// Sessions is how many there are, and Events the sum of their events: by both a catch-up sees whether
	// the snapshot has all that the index has.
	Sessions   int      `json:"sessions"`
	Events     int64    `json:"events"`
	Steps      []string `json:"steps"`      // outcomes name steps by their index here
	Strategies []string `json:"strategies"` // and strategies here
	// Tallies is what strategies came to, in all sessions.
	Tallies []tally `json:"tallies"`
	// Lines is how many lines of recent sessions follow.
	Lines int `json:"lines"`

	recent []outcome // the oldest first
}

// An outcome is how a session went.
type outcome struct {
	ID     string         `json:"id"`
	Events int64          `json:"n"`
	Time   int64          `json:"t"` // when it ended, in milliseconds
	Ended  mulligan.Ended `json:"e"`
	Steps  string         `json:"s"` // a letter for each step, in the order of pipeline.Steps
	Tries  []tally        `json:"u,omitempty"`
}

// A tally is how often a strategy was tried at a step and has worked: the indexes of both, then the
// counts.
type tally [4]int

// The letters of steps.
const (
	letterUnreached = '-'
	letterVerified  = 'v'
	letterAccepted  = 'a'
	letterFailed    = 'f'
	letterSkipped   = 's'
	letterOpen      = 'o'
)

// letterOf returns the letter of a status.
func letterOf(s history.StepStatus) byte {
	switch s {
	case history.StepVerified:
		return letterVerified
	case history.StepAccepted:
		return letterAccepted
	case history.StepSkipped:
		return letterSkipped
	case history.StepOpen:
		return letterOpen
	case history.StepUnreached, "":
		return letterUnreached
	case history.StepFailed:
	}
	return letterFailed
}

var errDamaged = errors.New("it is damaged")

// parseHead reads the first line of a snapshot, and returns the lines of its recent sessions.
func parseHead(data []byte) (*pipeline, []byte, error) {
	line, rest, ok := bytes.Cut(data, []byte("\n"))
	var p pipeline
	err := json.Unmarshal(line, &p)
	switch {
	case p.Version > formatVersion:
		return nil, nil, errNewer
	case !ok || err != nil || p.Version < 1 || p.Lines < 0 || p.Sessions < p.Lines || !p.hasTallies(p.Tallies):
		return nil, nil, errDamaged
	case bytes.Count(rest, []byte("\n")) != p.Lines || p.Lines > 0 && !bytes.HasSuffix(rest, []byte("\n")):
		return nil, nil, errors.New("it is not whole")
	}
	return &p, rest, nil
}

// parseOutcome reads the line of a recent session.
func (p *pipeline) parseOutcome(line []byte) (outcome, error) {
	var o outcome
	if err := json.Unmarshal(line, &o); err != nil || len(o.Steps) > len(p.Steps) || o.ID == "" || !p.hasTallies(o.Tries) {
		return o, errDamaged
	}
	return o, nil
}

// parsePipeline reads a snapshot with its recent sessions.
func parsePipeline(data []byte) (*pipeline, error) {
	p, rest, err := parseHead(data)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(rest) {
		o, err := p.parseOutcome(line)
		if err != nil {
			return nil, err
		}
		p.recent = append(p.recent, o)
	}
	slices.Reverse(p.recent)
	return p, nil
}

// format returns the snapshot as parsePipeline reads it.
func (p *pipeline) format() ([]byte, error) {
	p.Lines = len(p.recent)
	var file bytes.Buffer
	lines := json.NewEncoder(&file)
	if err := lines.Encode(p); err != nil {
		return nil, err
	}
	for _, o := range slices.Backward(p.recent) {
		if err := lines.Encode(o); err != nil {
			return nil, err
		}
	}
	return file.Bytes(), nil
}

// hasTallies reports whether tallies are of the pipeline's steps and strategies.
func (p *pipeline) hasTallies(list []tally) bool {
	for _, t := range list {
		if t[0] < 0 || t[0] >= len(p.Steps) || t[1] < 0 || t[1] >= len(p.Strategies) || t[2] < 0 || t[3] < 0 {
			return false
		}
	}
	return true
}

// outcomeOf returns how a session went. It adds the names that the pipeline does not know yet.
func (p *pipeline) outcomeOf(r history.Session) outcome {
	o := outcome{ID: r.ID, Events: r.Events, Time: r.Time().UnixMilli(), Ended: r.Ended}
	var letters []byte
	for _, step := range r.Steps {
		at := indexOf(&p.Steps, step.Name)
		for len(letters) <= at {
			letters = append(letters, letterUnreached)
		}
		letters[at] = letterOf(step.Status)
		for _, retry := range step.Retries {
			if !retry.Decided() {
				continue
			}
			worked := 0
			if retry.Outcome == mulligan.Pass {
				worked = 1
			}
			o.Tries = addTally(o.Tries, tally{at, indexOf(&p.Strategies, retry.Strategy), 1, worked})
		}
	}
	o.Steps = strings.TrimRight(string(letters), string(letterUnreached))
	return o
}

// indexOf returns the index of a name in a list, to which it adds the name if that is new.
func indexOf(list *[]string, name string) int {
	at := slices.Index(*list, name)
	if at < 0 {
		at = len(*list)
		*list = append(*list, name)
	}
	return at
}

// minus returns the tally that takes away what t counts.
func (t tally) minus() tally { return tally{t[0], t[1], -t[2], -t[3]} }

// addTally returns the list with a tally counted.
func addTally(list []tally, t tally) []tally {
	for i := range list {
		if list[i][0] == t[0] && list[i][1] == t[1] {
			list[i][2] += t[2]
			list[i][3] += t[3]
			return list
		}
	}
	return append(list, t)
}

// errUnknownBefore is a session that may be among those that the snapshot does not have one by one.
var errUnknownBefore = errors.New("an older record of the session may have been counted")

// insert counts a session, in the place of its older record. The error is errUnknownBefore where
// the snapshot has to be made again from the records.
func (p *pipeline) insert(r history.Session) error {
	if at := slices.IndexFunc(p.recent, func(o outcome) bool { return o.ID == r.ID }); at >= 0 {
		before := p.recent[at]
		if before.Events >= r.Events {
			return nil
		}
		p.Sessions--
		p.Events -= before.Events
		for _, t := range before.Tries {
			p.Tallies = addTally(p.Tallies, t.minus())
		}
		if !p.hasTallies(p.Tallies) {
			return errUnknownBefore // it does not hang together
		}
		p.recent = slices.Delete(p.recent, at, at+1)
	} else if r.Resumes > 0 && p.Sessions > len(p.recent) {
		return errUnknownBefore
	}
	o := p.outcomeOf(r)
	at, _ := slices.BinarySearchFunc(p.recent, o, compareOutcomes)
	p.recent = slices.Insert(p.recent, at, o)
	p.Sessions++
	p.Events += r.Events
	for _, t := range o.Tries {
		p.Tallies = addTally(p.Tallies, t)
	}
	p.recent = p.recent[max(0, len(p.recent)-maxRecent):]
	return nil
}

// compareOutcomes orders outcomes by their ends.
func compareOutcomes(a, b outcome) int {
	return cmp.Or(cmp.Compare(a.Time, b.Time), strings.Compare(a.ID, b.ID))
}

// loadPipeline reads the snapshot of a pipeline. The error is fs.ErrNotExist, or a *damageError.
func (v volume) loadPipeline(name string) (*pipeline, error) {
	path := v.pipelinePath(name)
	data, err := readWhole(path)
	if err != nil {
		return nil, err
	}
	p, err := parsePipeline(data)
	return p, damaged(path, cmp.Or(err, p.checkName(name)))
}

// checkName returns an error if the snapshot is that of another pipeline.
func (p *pipeline) checkName(name string) error {
	if p != nil && p.Name != name {
		return fmt.Errorf("it is of %q", p.Name)
	}
	return nil
}

// storePipeline writes the snapshot of a pipeline.
func (v volume) storePipeline(p *pipeline) error {
	data, err := p.format()
	if err != nil {
		return err
	}
	path := v.pipelinePath(p.Name)
	if err := durable.MakeDirs(filepath.Dir(path)); err != nil {
		return err
	}
	return durable.ReplaceFile(path, data)
}

// updatePipeline counts records, which the index has already, in the snapshot of their pipeline. One that
// is missing or damaged is made again. It must be called with the volume's lock held.
func (v volume) updatePipeline(name string, records []history.Session) error {
	if len(records) == 1 {
		if done, err := v.prependOutcome(name, records[0]); done {
			return err
		}
	}
	p, err := v.loadPipeline(name)
	for _, r := range records {
		if err == nil {
			err = p.insert(r)
		}
	}
	switch {
	case err == nil:
		return v.storePipeline(p)
	case errors.Is(err, errNewer):
		return err
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errUnknownBefore):
		if err := v.book.setAside(v.pipelinePath(name), errors.Unwrap(err)); err != nil {
			return err
		}
	}
	known, err := v.readIndex()
	if err != nil {
		return err
	}
	return v.rebuildPipeline(name, known)
}

// prependOutcome counts a session that is newer than all in the snapshot and new to it, as one that has just
// ended is, without a look at the others. done is false where it has to be done in full.
func (v volume) prependOutcome(name string, r history.Session) (done bool, err error) {
	data, err := readWhole(v.pipelinePath(name))
	if err != nil {
		return false, nil
	}
	p, lines, err := parseHead(data)
	if err != nil || p.checkName(name) != nil || p.Lines == 0 || bytes.Contains(lines, []byte(r.ID)) || r.Resumes > 0 && p.Sessions > p.Lines {
		return false, nil
	}
	first, _, _ := bytes.Cut(lines, []byte("\n"))
	newest, err := p.parseOutcome(first)
	if err != nil || newest.Time >= r.Time().UnixMilli() {
		return false, nil
	}
	if err := p.insert(r); err != nil {
		return false, nil
	}
	for had := p.Lines; had >= maxRecent; had-- {
		end := bytes.LastIndexByte(lines[:len(lines)-1], '\n')
		lines = lines[:end+1]
	}
	head, err := p.format() // with the one outcome that was inserted
	if err != nil {
		return true, err
	}
	_, line, _ := bytes.Cut(head, []byte("\n"))
	p.Lines = bytes.Count(lines, []byte("\n")) + 1
	top, err := json.Marshal(p)
	if err != nil {
		return true, err
	}
	return true, durable.ReplaceFile(v.pipelinePath(name), slices.Concat(top, []byte("\n"), line, lines))
}

// rebuildPipeline makes the snapshot of a pipeline from its records. It must be called with the volume's
// lock held.
func (v volume) rebuildPipeline(name string, known map[string]entry) error {
	records := v.newReader()
	defer records.close()
	p := &pipeline{Version: formatVersion, Name: name}
	for _, e := range sortEntries(known, func(e entry) bool { return e.Pipeline == name }) {
		r, err := records.read(e)
		if err != nil {
			return err
		}
		r.Resumes = 0 // each is there once
		if err := p.insert(r); err != nil {
			return err
		}
	}
	return v.storePipeline(p)
}

// sortEntries returns the entries that are wanted, by the ends of their sessions, the oldest first.
func sortEntries(known map[string]entry, wanted func(entry) bool) []entry {
	var list []entry
	for _, e := range known {
		if wanted(e) {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Or(cmp.Compare(a.Time, b.Time), strings.Compare(a.ID, b.ID)) })
	return list
}
