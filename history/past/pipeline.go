package past

import (
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

// A pipeline is what a decision asks about a pipeline or a loop.
type pipeline struct {
	Version int    `json:"v"`
	Name    string `json:"pipeline"`
	// Sessions is how many there are, and Events the sum of their events: by both a catch-up sees whether
	// the snapshot has all that the index has.
	Sessions   int      `json:"sessions"`
	Events     int64    `json:"events"`
	Steps      []string `json:"steps"`      // outcomes name steps by their index here
	Strategies []string `json:"strategies"` // and strategies here
	// Older is what strategies came to in sessions that are not in Recent.
	Older  []tally   `json:"older,omitempty"`
	Recent []outcome `json:"recent"` // the newest sessions, the oldest of them first
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

// parsePipeline reads a snapshot.
func parsePipeline(data []byte) (*pipeline, error) {
	var head header
	if err := json.Unmarshal(data, &head); err != nil || head.Version < 1 {
		return nil, errors.New("it is damaged")
	}
	if head.Version > formatVersion {
		return nil, errNewer
	}
	var p pipeline
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, errors.New("it is damaged")
	}
	for _, o := range p.Recent {
		if len(o.Steps) > len(p.Steps) || o.ID == "" || !p.hasTallies(o.Tries) {
			return nil, errors.New("it is damaged")
		}
	}
	if !p.hasTallies(p.Older) || p.Sessions < len(p.Recent) {
		return nil, errors.New("it is damaged")
	}
	return &p, nil
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
	if at := slices.IndexFunc(p.Recent, func(o outcome) bool { return o.ID == r.ID }); at >= 0 {
		if p.Recent[at].Events >= r.Events {
			return nil
		}
		p.Sessions--
		p.Events -= p.Recent[at].Events
		p.Recent = slices.Delete(p.Recent, at, at+1)
	} else if r.Resumes > 0 && p.Sessions > len(p.Recent) {
		return errUnknownBefore
	}
	o := p.outcomeOf(r)
	at, _ := slices.BinarySearchFunc(p.Recent, o, compareOutcomes)
	p.Recent = slices.Insert(p.Recent, at, o)
	p.Sessions++
	p.Events += r.Events
	for len(p.Recent) > maxRecent {
		for _, t := range p.Recent[0].Tries {
			p.Older = addTally(p.Older, t)
		}
		p.Recent = p.Recent[1:]
	}
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
	if err == nil && p.Name != name {
		err = fmt.Errorf("it is of %q", p.Name)
	}
	return p, damaged(path, err)
}

// storePipeline writes the snapshot of a pipeline.
func (v volume) storePipeline(p *pipeline) error {
	data, err := json.Marshal(p)
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
