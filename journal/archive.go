package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"mulligan"
	"mulligan/internal/durable"
)

// An Archive keeps sessions that no process writes any more, sealed: each is a compressed file of
// JSON lines, the last of which has the number of events and their hash. An index of their summaries
// saves a list from opening the files. One process at a time may seal; any may read. An Archive is
// safe for concurrent use.
type Archive struct {
	dir string

	mu    sync.Mutex
	known map[string]Sealed
	stamp stamp // of the index that known was read from
	fault error // why that index could not be used: known was rebuilt from the files
}

// A Sealed is a session in an archive. Events that came after the sealing are elsewhere.
type Sealed struct {
	Events  int64            `json:"events"` // it has the first so many
	SHA256  string           `json:"sha256"` // of their lines
	Frame   string           `json:"frame"`  // id of the frame that they ended with
	Summary mulligan.Summary `json:"summary"`
	Source  Source           `json:"source,omitzero"`
}

// A Source identifies what the engine had of a session when it was sealed, so that a list can see
// whether anything came since. The zero value means that this is not known.
type Source struct {
	Stream uint64 `json:"stream"` // the stream's first sequence, which no other has
	Frames uint64 `json:"frames"` // of the session, in it
}

// A stamp tells one state of a file from another.
type stamp struct {
	size int64
	time time.Time
}

// NewArchive returns the archive in a folder, which need not exist.
func NewArchive(dir string) *Archive { return &Archive{dir: dir} }

// Dir returns the archive's folder.
func (a *Archive) Dir() string { return a.dir }

// Path returns the path that a session's file has, or would have.
func (a *Archive) Path(session string) string {
	month, _ := Month(session)
	return filepath.Join(a.dir, month, session+".jsonl.gz")
}

// HasMonth reports whether any session of a month was ever sealed.
func (a *Archive) HasMonth(month string) bool {
	_, err := os.Stat(filepath.Join(a.dir, month))
	return err == nil
}

// AddMonth makes HasMonth true for a month.
func (a *Archive) AddMonth(month string) error { return durable.MakeDirs(filepath.Join(a.dir, month)) }

func (a *Archive) indexPath() string { return filepath.Join(a.dir, "index.jsonl") }

// Find returns a sealed session, and reports whether there is one with that id.
func (a *Archive) Find(session string) (Sealed, bool, error) {
	all, err := a.All()
	s, ok := all[session]
	return s, ok, err
}

// All returns every sealed session by its id. The caller must not change the map.
func (a *Archive) All() (map[string]Sealed, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.readChangedIndex(); err != nil {
		return nil, err
	}
	return a.known, nil
}

// StartReading reads the index in the background, for a caller that has other work before it calls All.
// Whether it could be read, All tells.
func (a *Archive) StartReading() {
	go func() { _, _ = a.All() }()
}

// readChangedIndex reads the index unless it is the one that is known already. An index that is
// missing or damaged is rebuilt in memory alone: the process that seals may be writing it just now.
// It must be called with mu held.
func (a *Archive) readChangedIndex() error {
	now, err := stampOf(a.indexPath())
	if err != nil || a.known != nil && now == a.stamp {
		return err
	}
	data, err := os.ReadFile(a.indexPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	known, fault := map[string]Sealed(nil), errNoIndex
	if err == nil {
		known, fault = readIndex(data)
	}
	if fault != nil {
		if known, err = a.rebuildIndex(fault); err != nil {
			return err
		}
	}
	a.known, a.stamp, a.fault = known, now, fault
	return nil
}

// errNoIndex is an index that is missing; an empty archive has none.
var errNoIndex = errors.New("it is gone")

// stampOf returns the stamp of a file, or the zero stamp if the file is missing.
func stampOf(path string) (stamp, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return stamp{}, nil
	}
	if err != nil {
		return stamp{}, err
	}
	return stamp{info.Size(), info.ModTime()}, nil
}

// readIndex takes the newest line of each session. A last line without its end is the rest of a
// power cut, on which nothing has relied.
func readIndex(data []byte) (map[string]Sealed, error) {
	known := make(map[string]Sealed, bytes.Count(data, []byte{'\n'}))
	number := 0
	for line := range bytes.Lines(data) {
		number++
		line, whole := bytes.CutSuffix(line, []byte("\n"))
		if !whole {
			break
		}
		var s Sealed
		if err := json.Unmarshal(line, &s); err != nil || s.Summary.ID == "" {
			return nil, fmt.Errorf("line %d is damaged", number)
		}
		known[s.Summary.ID] = s
	}
	return known, nil
}

// rebuildIndex returns the content of the index as the sealed files themselves have it, or nil if
// there are none.
func (a *Archive) rebuildIndex(why error) (map[string]Sealed, error) {
	files, err := filepath.Glob(filepath.Join(a.dir, "*", "*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		return nil, err
	}
	known := make(map[string]Sealed, len(files))
	for _, file := range files {
		s, err := verifyFile(file)
		if err != nil {
			return nil, fmt.Errorf("the index of sealed sessions %s cannot be used (%w), nor be made anew: %w", a.indexPath(), why, err)
		}
		known[s.Summary.ID] = s
	}
	return known, nil
}

// RepairIndex writes the index anew if it is missing or damaged, and keeps a damaged one beside it.
// Only the process that seals may call it. Readers find an index at every moment.
func (a *Archive) RepairIndex() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.readChangedIndex(); err != nil || a.fault == nil || a.known == nil && errors.Is(a.fault, errNoIndex) {
		return err
	}
	if damaged, err := os.ReadFile(a.indexPath()); err == nil {
		if err := durable.WriteFile(a.indexPath()+".damaged", damaged); err != nil {
			return err
		}
	}
	var index bytes.Buffer
	for _, id := range slices.Sorted(maps.Keys(a.known)) {
		line, err := marshalReadable(a.known[id])
		if err != nil {
			return err
		}
		index.Write(append(line, '\n'))
	}
	a.known = nil // it is read again
	return durable.WriteFile(a.indexPath(), index.Bytes())
}

// addToIndex appends a sealed session to the index.
func (a *Archive) addToIndex(s Sealed) error {
	line, err := marshalReadable(s)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(a.indexPath(), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	end, err := endOfWholeLines(f)
	if err == nil {
		_, err = f.WriteAt(append(line, '\n'), end)
	}
	if err == nil && end == 0 {
		err = durable.SyncDir(a.dir)
	}
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return a.addToKnown(s, end)
}

// addToKnown adds to the known index, whose file was size bytes long before, so that a process that
// seals many sessions does not read the file again for each. It replaces the map: callers of All may
// be reading the old one.
func (a *Archive) addToKnown(s Sealed, size int64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known == nil || a.stamp.size != size {
		return nil
	}
	info, err := os.Stat(a.indexPath())
	if err != nil {
		return err
	}
	known := maps.Clone(a.known)
	known[s.Summary.ID] = s
	a.known, a.stamp = known, stamp{info.Size(), info.ModTime()}
	return nil
}

// endOfWholeLines returns where the last whole line ends, and cuts off the rest that a power cut has
// left.
func endOfWholeLines(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return 0, err
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, info.Size()-1); err != nil || last[0] == '\n' {
		return info.Size(), err
	}
	data, err := os.ReadFile(f.Name())
	if err != nil {
		return 0, err
	}
	end := int64(bytes.LastIndexByte(data, '\n') + 1)
	return end, f.Truncate(end)
}
