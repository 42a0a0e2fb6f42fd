package block

import (
	"cmp"
	"slices"
	"strings"
)

// A store holds a bounded number of blocks of each tier: the first ones, the first of each kind
// and of each file, and the last ones.
type store struct {
	budget int
	shelf  [tiers]shelf
}

type shelf struct {
	total int
	first []*Block
	size  int // of first
	rare  []*Block
	spare int // size of rare
	last  []*Block
	tail  int // size of last
	seen  map[uint64]*Block
	kinds map[string]bool
	files map[string]bool
	names []string
}

const (
	maxSeen  = 5000
	maxKinds = 1000
	maxNames = 100
)

func newStore(budget int) store {
	s := store{budget: budget}
	for i := range s.shelf {
		s.shelf[i].seen = map[uint64]*Block{}
		s.shelf[i].kinds = map[string]bool{}
		s.shelf[i].files = map[string]bool{}
	}
	return s
}

// add takes a block, unless it is one that was reported before.
func (s *store) add(b *Block) {
	if b.isEmptyShell() {
		b.Tier = Hint
	}
	sh := &s.shelf[b.Tier]
	if s.foldAgain(sh, b) {
		return
	}
	sh.total++
	if len(sh.seen) < maxSeen {
		sh.seen[b.key] = b
	}
	isNew := noteNew(sh.kinds, b.Kind)
	if b.File != "" {
		isNew = noteNew(sh.files, b.File) || isNew
	}
	switch {
	case sh.size+b.size <= s.budget && len(sh.last) == 0:
		sh.first = append(sh.first, b)
		sh.size += b.size
	case isNew && sh.spare+b.size <= s.budget:
		sh.rare = append(sh.rare, b)
		sh.spare += b.size
	default:
		sh.pushLast(b, s.budget/2)
	}
}

// foldAgain reports whether the block is one that is there already. The fuller one stays.
func (s *store) foldAgain(sh *shelf, b *Block) bool {
	old := sh.seen[b.key]
	if old == nil {
		return false
	}
	have, more := old.countBody(), b.countBody()
	switch {
	case more == 0 || old.hasSameBody(b):
		old.Again++
		return true
	case have == 0 && old.Header == b.Header:
		lines, size := b.Lines, b.size
		old.Lines, old.start, old.mode, old.Left, old.Header = lines, b.start, b.mode, b.Left, b.Header
		old.size = size
		old.Again++
		return true
	}
	return false
}

// has reports whether a block of that key is there.
func (s *store) has(tier Tier, key uint64) bool { return s.shelf[tier].seen[key] != nil }

// noteNew reports whether a kind or a file was not known.
func noteNew(known map[string]bool, k string) bool {
	if known[k] || len(known) >= maxKinds {
		return false
	}
	known[k] = true
	return true
}

func (sh *shelf) pushLast(b *Block, budget int) {
	sh.last = append(sh.last, b)
	sh.tail += b.size
	n := 0
	for sh.tail > budget && n < len(sh.last)-1 {
		sh.tail -= sh.last[n].size
		if len(sh.names) < maxNames {
			sh.names = append(sh.names, sh.last[n].Name)
		}
		sh.last[n] = nil
		n++
	}
	sh.last = sh.last[n:]
}

func (s *store) result() Result {
	var r Result
	s.foldShells()
	for i := range s.shelf {
		sh := &s.shelf[i]
		r.Total[i] = sh.total
		r.Blocks = append(append(append(r.Blocks, sh.first...), sh.rare...), sh.last...)
		if i <= int(Complaint) {
			r.Names = append(r.Names, sh.names...)
		}
	}
	slices.SortStableFunc(r.Blocks, func(a, b *Block) int { return cmp.Compare(a.Seq, b.Seq) })
	return r
}

// foldShells makes hints of the failures that have nothing but a name which another one has too:
// a list of what ran names them first.
func (s *store) foldShells() {
	sh := &s.shelf[Failure]
	var named strings.Builder
	for _, list := range [][]*Block{sh.first, sh.rare, sh.last} {
		for _, b := range list {
			if b.countBody() > 0 {
				for _, l := range b.Lines[:min(len(b.Lines), b.start+4)] {
					named.WriteString(l.Text + "\n")
				}
			}
		}
	}
	for _, list := range [][]*Block{sh.first, sh.rare, sh.last} {
		for _, b := range list {
			if b.Kind != "mark" && b.Kind != "tap" || b.countBody() > 0 {
				continue
			}
			_, name, _ := strings.Cut(string(trimTiming([]byte(b.Name))), " ")
			if _, after, ok := strings.Cut(name, " - "); ok && b.Kind == "tap" {
				name = after
			}
			if name = strings.TrimSpace(name); len(name) > 3 && strings.Contains(named.String(), name) {
				b.Tier = Hint
				sh.total--
			}
		}
	}
}

// countBody returns how many lines that are not blank follow the first one.
func (b *Block) countBody() int {
	n := 0
	for _, l := range b.Lines[min(b.start+1, len(b.Lines)):] {
		if !isBlank([]byte(l.Text)) {
			n++
		}
	}
	return n + b.Left
}

// hasSameBody reports whether two blocks say the same.
func (b *Block) hasSameBody(o *Block) bool {
	return bodyHash(b) == bodyHash(o)
}

func bodyHash(b *Block) uint64 {
	h := uint64(hashSeed)
	for _, l := range b.Lines[min(b.start+1, len(b.Lines)):] {
		h = hashText(h, []byte(l.Text))
	}
	return h
}

// isEmptyShell reports whether a block of a mode that needs a body has none that tells
// anything: `1) name` in a list of what ran.
func (b *Block) isEmptyShell() bool {
	if b.mode != numbered {
		return false
	}
	for _, l := range b.Lines[min(b.start+1, len(b.Lines)):] {
		if isTellingText([]byte(l.Text)) || isFrame([]byte(l.Text)) {
			return false
		}
	}
	return true
}
