package report

import "bytes"

// buildErrors is the state of reading the errors of the compiler and of vet.
type buildErrors struct {
	pkg   string   // of the `# pkg` line that they follow
	item  *failure // the last error, for the lines that belong to it
	lines int
}

// readCompilerError reads `# pkg` and `path.go:12:5: message`.
func (g *golang) readCompilerError(line []byte) {
	g.build.item = nil
	if rest, ok := bytes.CutPrefix(line, []byte("# ")); ok {
		name, _, _ := bytes.Cut(rest, []byte(" "))
		g.build.pkg = string(name)
		return
	}
	line = bytes.TrimPrefix(line, []byte("vet: "))
	pkg := g.build.pkg
	g.build.pkg = "" // until the line is known to be of its block
	i := bytes.Index(line[:min(len(line), 512)], []byte(".go:"))
	if i < 0 {
		return
	}
	place, rest, ok := cutPlace(line)
	if !ok || len(placeFile(place)) != i+3 || len(rest) < 2 || rest[0] != ' ' {
		return
	}
	// Without a column it is a line of a program's log, unless a package was announced.
	if pkg == "" && bytes.Count(place[i:], []byte(":")) < 2 {
		return
	}
	g.built, g.build.pkg = true, pkg
	f := g.list.addItem(string(place), pkg, string(place))
	f.message.addLine(bytes.TrimSpace(rest))
	g.build.item, g.build.lines = f, 1
}

// addContinuation takes a line that explains the last error, `	have (string)`, and reports
// whether there is such an error.
func (b *buildErrors) addContinuation(line []byte) bool {
	if b.item == nil || b.lines >= maxLines {
		return false
	}
	b.lines++
	b.item.message.addLine(line)
	return true
}
