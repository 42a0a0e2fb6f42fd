package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// The trees of large repositories: words by chance, the same in every run.
const (
	flatFiles   = 50_000
	deepFiles   = 63_000
	deepFolders = 11_000
	deepest     = 9 // folders above a file of the deep tree
)

// A textMaker makes texts of words.
type textMaker struct {
	random *rand.Rand
	words  []string
	text   strings.Builder
}

func newTextMaker(seed uint64) *textMaker {
	m := &textMaker{random: rand.New(rand.NewPCG(seed, 2)), words: make([]string, 3000)}
	for i := range m.words {
		word := make([]byte, 3+m.random.IntN(8))
		for k := range word {
			word[k] = byte('a' + m.random.IntN(26))
		}
		m.words[i] = string(word)
	}
	return m
}

func (m *textMaker) makeWord() string { return m.words[m.random.IntN(len(m.words))] }

// writeFile writes a file of at least 5 words and less than most.
func (m *textMaker) writeFile(path string, most int) error {
	m.text.Reset()
	for range 5 + m.random.IntN(most-5) {
		m.text.WriteString(m.makeWord())
		m.text.WriteByte(" \n"[m.random.IntN(8)/7])
	}
	return os.WriteFile(path, []byte(m.text.String()), 0o644)
}

// writeFlatTree writes 50,000 small files in folders of 25.
func writeFlatTree(repo string) error {
	m := newTextMaker(1)
	for i := range flatFiles {
		path := filepath.Join(repo, fmt.Sprintf("large/part%d/sub%d/file%d.txt", i/1000, i/25, i))
		if i%25 == 0 {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
		}
		if err := m.writeFile(path, 155); err != nil {
			return err
		}
	}
	return nil
}

// writeDeepTree writes 63,000 files of many sizes in 11,000 folders, as a large repository of many packages has them: each
// folder in one that is there by chance, with one file or many.
func writeDeepTree(repo string) error {
	m := newTextMaker(3)
	type folder struct {
		path  string
		depth int
	}
	folders := []folder{{filepath.Join(repo, "deep"), 1}}
	for i := 1; i < deepFolders; i++ {
		in := folders[m.random.IntN(len(folders))]
		for in.depth >= deepest {
			in = folders[m.random.IntN(len(folders))]
		}
		folders = append(folders, folder{filepath.Join(in.path, fmt.Sprintf("%s%d", m.makeWord(), i)), in.depth + 1})
	}
	for _, f := range folders {
		if err := os.MkdirAll(f.path, 0o755); err != nil {
			return err
		}
	}
	for i := range deepFiles {
		most := 60
		switch m.random.IntN(20) {
		case 0:
			most = 6000
		case 1, 2, 3, 4, 5:
			most = 700
		}
		in := folders[m.random.IntN(len(folders))]
		if i < len(folders) { // git keeps no folder without a file
			in = folders[i]
		}
		if err := m.writeFile(filepath.Join(in.path, fmt.Sprintf("%s%d.txt", m.makeWord(), i)), most); err != nil {
			return err
		}
	}
	return nil
}
