package config

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Bounds on what is read, far above any config that a person writes: the parser is
// recursive, and takes quadratic time over the keys of one mapping.
const (
	maxDepth  = 64
	maxTokens = 40_000
	maxNodes  = 40_000 // after aliases are followed
)

// shape is what a value is before it is checked against a type.
type shape int

const (
	isNull shape = iota
	isString
	isInt
	isFloat
	isOddNumber // 010, 0x1F, 1_000: read differently by different programs
	isBool
	isList
	isMap
	isBad // a mistake has been reported for it
)

func (s shape) String() string {
	return [...]string{"nothing", "text", "a whole number", "a number", "a number", "true or false", "a list", "a mapping", "nothing"}[s]
}

// A raw is a YAML value with its place.
type raw struct {
	shape   shape
	text    string // of scalars
	at      place
	entries []entry
	items   []*raw
}

type entry struct {
	key   string
	at    place
	value *raw
}

// parse reads one YAML document. It returns nil if the text is not YAML, which is a mistake, and if
// the document is empty, which is for the caller to judge.
func parse(src *source, data []byte) (*raw, Mistakes) {
	p := &yamlReader{src: src, anchors: map[string]ast.Node{}}
	body := p.singleDocument(p.parseDocuments(normalizeLines(data)))
	if body == nil {
		return nil, p.mistakes
	}
	return p.readNode(body, "", 0), p.mistakes
}

// A yamlReader makes raw values of the parser's nodes, and gathers mistakes.
type yamlReader struct {
	src      *source
	mistakes Mistakes
	anchors  map[string]ast.Node
	open     []string // anchors whose value is being read
	nodes    int
}

func (p *yamlReader) addMistake(at place, path, format string, args ...any) {
	p.mistakes = append(p.mistakes, at.newMistake(path, fmt.Sprintf(format, args...), ""))
}

// parseDocuments parses the text, and returns nil if it cannot be read. A text that makes the parser
// panic cannot be read.
func (p *yamlReader) parseDocuments(text string) []*ast.DocumentNode {
	defer func() {
		if recover() != nil {
			p.addMistake(place{src: p.src, line: 1, col: 1}, "", "cannot be read as YAML")
		}
	}()
	tokens := lexer.Tokenize(text)
	if at, why := p.checkSize(tokens); why != "" {
		p.addMistake(at, "", "%s", why)
		return nil
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		p.addSyntaxError(err)
		return nil
	}
	return file.Docs
}

// addSyntaxError adds the parser's own error as a mistake.
func (p *yamlReader) addSyntaxError(err error) {
	at := place{src: p.src, line: 1, col: 1}
	message := err.Error()
	if e, ok := err.(interface {
		GetToken() *token.Token
		GetMessage() string
	}); ok {
		at, message = p.placeOf(e.GetToken()), e.GetMessage()
	}
	message, _, _ = strings.Cut(message, "\n")
	if strings.HasPrefix(strings.TrimLeft(p.src.lines[at.line-1], " "), "\t") {
		message = "a tab indents this line: YAML wants spaces"
	}
	p.addMistake(at, "", "not valid YAML: %s", message)
}

// checkSize returns the place of what would take the parser too deep or too long, and why, or "".
func (p *yamlReader) checkSize(tokens token.Tokens) (place, string) {
	if len(tokens) > maxTokens {
		return p.placeOf(tokens[maxTokens]), "the file is far larger than any config: too many values"
	}
	flow, block, line := 0, 0, 0
	for _, t := range tokens {
		if t.Position != nil && t.Position.Line != line {
			line, block = t.Position.Line, 0
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow--
		case token.SequenceEntryType, token.MappingKeyType:
			block++
		}
		if flow > maxDepth || block > maxDepth {
			return p.placeOf(t), fmt.Sprintf("nested deeper than %d levels", maxDepth)
		}
	}
	return place{}, ""
}

// singleDocument returns the body of the first document. A second one is a mistake.
func (p *yamlReader) singleDocument(docs []*ast.DocumentNode) ast.Node {
	var body ast.Node
	for _, d := range docs {
		switch {
		case d.Body == nil || d.Body.Type() == ast.DirectiveType:
		case body == nil:
			body = d.Body
		default:
			at := p.startOf(d.Body)
			if d.Start != nil {
				at = p.placeOf(d.Start)
			}
			p.addMistake(at, "", "a second YAML document begins here: a file has one")
			return body
		}
	}
	return body
}

// placeOf returns where a token stands.
func (p *yamlReader) placeOf(t *token.Token) place {
	if t == nil || t.Position == nil {
		return place{src: p.src, line: 1, col: 1}
	}
	line := min(max(t.Position.Line, 1), len(p.src.lines))
	return place{src: p.src, line: line, col: max(t.Position.Column, 1)}
}
