// Package corpus reads real failing outputs, each with the items that failed in it, and counts
// how many of these a shorter text keeps whole.
package corpus

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// The folders of a corpus.
const (
	Seen  = "seen"  // what the rules of the distiller were made with
	Apart = "apart" // what they are measured with
)

const (
	itemsSuffix = ".items.json"
	outSuffix   = ".out"
)

// An Item is what failed: a test, a diagnostic, a failed target, an error in a log.
type Item struct {
	Name    string   `json:"name"`    // "" where it has none
	Place   string   `json:"place"`   // a path, with ":LINE" where the line is known; "" for none
	Message []string `json:"message"` // texts that make the difference visible
}

// Size returns the characters of the item's shortest whole form.
func (i Item) Size() int {
	size := 0
	for _, s := range append([]string{i.Name, i.Place}, i.Message...) {
		if s != "" {
			size += utf8.RuneCountInString(s) + 1
		}
	}
	return size
}

// A Case is an output and what failed in it.
type Case struct {
	Name    string `json:"-"`
	Folder  string `json:"-"`
	Output  []byte `json:"-"`
	Comment string `json:"comment"` // the tool, its version, how the output was made
	Items   []Item `json:"items"`
}

// Load returns the cases of a folder of the corpus at dir, in the order of their names.
func Load(dir, folder string) ([]Case, error) {
	names, err := filepath.Glob(filepath.Join(dir, folder, "*"+itemsSuffix))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no case in %s: run from the top of the repository", filepath.Join(dir, folder))
	}
	slices.Sort(names)
	cases := make([]Case, 0, len(names))
	for _, path := range names {
		c, err := readCase(path)
		if err != nil {
			return nil, err
		}
		c.Folder = folder
		cases = append(cases, c)
	}
	return cases, nil
}

// readCase reads the items at path and the output beside it.
func readCase(path string) (Case, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Case{}, err
	}
	base := strings.TrimSuffix(path, itemsSuffix)
	c := Case{Name: filepath.Base(base)}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		return Case{}, fmt.Errorf("%s: %w", path, err)
	}
	if len(c.Items) == 0 || c.Comment == "" {
		return Case{}, fmt.Errorf("%s: a case needs a comment and at least one item", path)
	}
	c.Output, err = readOutput(base + outSuffix)
	return c, err
}

// readOutput reads an output as it is, or packed by gzip.
func readOutput(path string) ([]byte, error) {
	out, err := os.ReadFile(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return out, err
	}
	packed, err := os.Open(path + ".gz")
	if err != nil {
		return nil, err
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		return nil, fmt.Errorf("%s.gz: %w", path, err)
	}
	return io.ReadAll(unpacked)
}
