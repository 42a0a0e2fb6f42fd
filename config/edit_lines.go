package config

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// insertLines inserts lines before the line of that index.
func (e *yamlEditor) insertLines(at int, lines []string) {
	e.lines = slices.Insert(e.lines, at, lines...)
}

// endOfText returns the index behind the last line that has something in it.
func (e *yamlEditor) endOfText() int {
	end := len(e.lines)
	for end > 0 && strings.TrimSpace(e.lines[end-1]) == "" {
		end--
	}
	return end
}

// endOf returns the index of the last line of an entry of a block mapping, without the comments and the
// blank lines behind it.
func (e *yamlEditor) endOf(v *ast.MappingValueNode) int {
	if values, flow := mappingOf(v.Value); flow == nil && len(values) > 0 {
		return e.endOf(values[len(values)-1])
	}
	at := e.reader.startOf(v.Key)
	_, isBlock := v.Value.(*ast.LiteralNode)
	_, isList := v.Value.(*ast.SequenceNode)
	end := at.line - 1
	for i := end + 1; i < len(e.lines); i++ {
		line := strings.TrimLeft(e.lines[i], " ")
		indent := len(e.lines[i]) - len(line)
		isInside := indent > at.col-1 || isList && indent == at.col-1 && strings.HasPrefix(line+" ", "- ")
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") && (!isBlock || !isInside):
		case isInside || isClosing(line):
			end = i
		default:
			return end
		}
	}
	return end
}

// isClosing reports whether a line begins with the end of a mapping or list that was opened before.
func isClosing(line string) bool { return strings.HasPrefix(line, "}") || strings.HasPrefix(line, "]") }

// replace gives an entry another value.
func (e *yamlEditor) replace(v *ast.MappingValueNode, inFlow bool, value string) error {
	colon := e.reader.placeOf(v.Start)
	row := colon.line - 1
	line := []rune(e.lines[row])
	if colon.col > len(line) || line[colon.col-1] != ':' {
		return ErrNotEditable
	}
	from := colon.col // behind the colon
	rest, dropped, err := e.behindValue(v, row, from, inFlow)
	if err != nil {
		return err
	}
	if strings.HasPrefix(rest, "#") {
		rest = " " + rest
	}
	e.lines[row] = string(line[:from]) + " " + value + rest
	e.lines = slices.Delete(e.lines, row+1, dropped+1)
	return nil
}

// behindValue returns what stands behind a value, and the index of the last line that it takes.
func (e *yamlEditor) behindValue(v *ast.MappingValueNode, row, from int, inFlow bool) (rest string, last int, err error) {
	if seq, ok := v.Value.(*ast.SequenceNode); ok && seq.IsFlowStyle {
		return e.behindToken(e.reader.placeOf(seq.End))
	}
	if _, flow := mappingOf(v.Value); flow != nil {
		return e.behindToken(e.reader.placeOf(flow.End))
	}
	last = row
	if !inFlow {
		last = e.endOf(v)
	}
	if last < row {
		return "", 0, ErrNotEditable // the key is behind a question mark, on a line of its own
	}
	line := []rune(e.lines[row])
	if last > row {
		return "", last, nil
	}
	return string(line[endOfScalar(line, from, inFlow):]), last, nil
}

// behindToken returns what stands behind a closing bracket, and the index of its line.
func (e *yamlEditor) behindToken(end place) (rest string, last int, err error) {
	line := []rune(e.lines[end.line-1])
	if end.col > len(line) || !strings.ContainsRune("]}", line[end.col-1]) {
		return "", 0, ErrNotEditable
	}
	return string(line[end.col:]), end.line - 1, nil
}

// endOfScalar returns the index behind a scalar that begins, after blanks, at from.
func endOfScalar(line []rune, from int, inFlow bool) int {
	for from < len(line) && line[from] == ' ' {
		from++
	}
	if from < len(line) && (line[from] == '"' || line[from] == '\'') {
		quote := line[from]
		for i := from + 1; i < len(line); i++ {
			switch {
			case quote == '"' && line[i] == '\\', quote == '\'' && line[i] == '\'' && i+1 < len(line) && line[i+1] == '\'':
				i++
			case line[i] == quote:
				return i + 1
			}
		}
		return len(line)
	}
	end := len(line)
	for i := from; i < end; i++ {
		isComment := line[i] == '#' && (i == 0 || line[i-1] == ' ')
		if isComment || inFlow && strings.ContainsRune(",}]", line[i]) {
			end = i
		}
	}
	for end > from && line[end-1] == ' ' {
		end--
	}
	return end
}

// insertInFlow inserts an entry before the closing brace of a mapping.
func (e *yamlEditor) insertInFlow(flow *ast.MappingNode, more bool, path []string, value string) error {
	end := e.reader.placeOf(flow.End)
	line := []rune(e.lines[end.line-1])
	if end.col > len(line) || line[end.col-1] != '}' {
		return ErrNotEditable
	}
	text := quoteYAML(path[0]) + ": " + value
	if len(path) > 1 {
		text = quoteYAML(path[0]) + ": " + renderFlow(path[1:], value)
	}
	before := strings.TrimRight(string(line[:end.col-1]), " ")
	if more && !strings.HasSuffix(before, ",") {
		text = ", " + text
	} else if more {
		text = " " + text
	}
	e.lines[end.line-1] = before + text + string(line[end.col-1:])
	return nil
}
