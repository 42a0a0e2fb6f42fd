package config

import (
	"slices"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// readNode returns the raw value of a node of the YAML parser.
func (p *yamlReader) readNode(n ast.Node, path string, depth int) *raw {
	at := p.startOf(n)
	p.nodes++
	if depth > maxDepth || p.nodes > maxNodes {
		if p.nodes <= maxNodes+1 {
			p.addMistake(at, path, "nested deeper than %d levels, or too many values", maxDepth)
			p.nodes = maxNodes + 1
		}
		return &raw{shape: isBad, at: at}
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return p.readMapping(n.Values, at, path, depth)
	case *ast.MappingValueNode:
		return p.readMapping([]*ast.MappingValueNode{n}, at, path, depth)
	case *ast.SequenceNode:
		return p.readList(n, at, path, depth)
	case *ast.LiteralNode:
		return &raw{shape: isString, text: n.Value.Value, at: at}
	case *ast.AnchorNode:
		return p.readAnchor(n, path, depth)
	case *ast.AliasNode:
		return p.readAlias(n, path, depth)
	case *ast.TagNode:
		p.addMistake(at, path, "tags such as %s are not supported: write the value itself, in quotes where it is text", n.Start.Value)
		return &raw{shape: isBad, at: at}
	case ast.ScalarNode:
		return newScalar(n, at)
	}
	p.addMistake(at, path, "not supported here")
	return &raw{shape: isBad, at: at}
}

func (p *yamlReader) readList(n *ast.SequenceNode, at place, path string, depth int) *raw {
	list := &raw{shape: isList, at: at, items: make([]*raw, 0, len(n.Values))}
	for i, v := range n.Values {
		list.items = append(list.items, p.readNode(v, indexPath(path, i), depth+1))
	}
	return list
}

func (p *yamlReader) readMapping(values []*ast.MappingValueNode, at place, path string, depth int) *raw {
	m := &raw{shape: isMap, at: at}
	seen := map[string]place{}
	for _, v := range values {
		key, ok := p.readKey(v.Key, path)
		if !ok {
			continue
		}
		keyAt := p.startOf(v.Key)
		if first, twice := seen[key]; twice {
			p.addMistake(keyAt, joinPath(path, key), "the key is given twice, first in line %d", first.src.first+first.line)
			continue
		}
		seen[key] = keyAt
		value := p.readNode(v.Value, joinPath(path, key), depth+1)
		if value.shape == isNull && value.text == "" {
			value.at = keyAt
		}
		m.entries = append(m.entries, entry{key: key, at: keyAt, value: value})
	}
	return m
}

// readKey returns the text of a key. A key that is not plain text is a mistake.
func (p *yamlReader) readKey(n ast.MapKeyNode, path string) (string, bool) {
	at := p.startOf(n)
	switch k := n.(type) {
	case *ast.MergeKeyNode:
		p.addMistake(at, path, "merge keys (<<) are not supported: write the keys out, or alias a whole value")
		return "", false
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	case *ast.MappingKeyNode:
		if s, ok := k.Value.(*ast.StringNode); ok {
			return s.Value, true
		}
	}
	p.addMistake(at, path, "a key must be plain text")
	return "", false
}

func (p *yamlReader) readAnchor(n *ast.AnchorNode, path string, depth int) *raw {
	name := n.Name.GetToken().Value
	p.anchors[name] = n.Value
	return p.readAnchored(name, n.Value, p.startOf(n), path, depth)
}

// readAlias reads the anchored value again. It is bounded by the count of all nodes, so that a few
// lines cannot stand for a billion.
func (p *yamlReader) readAlias(n *ast.AliasNode, path string, depth int) *raw {
	name, at := n.Value.GetToken().Value, p.startOf(n)
	value, ok := p.anchors[name]
	switch {
	case !ok:
		p.addMistake(at, path, "there is no anchor &%s above", name)
		return &raw{shape: isBad, at: at}
	case slices.Contains(p.open, name):
		p.addMistake(at, path, "the alias *%s stands inside its own anchor", name)
		return &raw{shape: isBad, at: at}
	}
	return p.readAnchored(name, value, at, path, depth)
}

// readAnchored reads the value of an anchor, which is open meanwhile.
func (p *yamlReader) readAnchored(name string, value ast.Node, at place, path string, depth int) *raw {
	if value == nil {
		return &raw{shape: isNull, at: at}
	}
	p.open = append(p.open, name)
	defer func() { p.open = p.open[:len(p.open)-1] }()
	return p.readNode(value, path, depth)
}

// startOf returns the place of a node's first character: the parser's own for a mapping is that of
// its colon.
func (p *yamlReader) startOf(n ast.Node) place {
	switch n := n.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return p.startOf(n.Values[0])
		}
	case *ast.MappingValueNode:
		return p.startOf(n.Key)
	case *ast.MappingKeyNode:
		return p.placeOf(n.Start)
	}
	return p.placeOf(n.GetToken())
}

// newScalar resolves a plain scalar by rules of our own: the parser's differ from YAML 1.2 here and
// there (08, 1e3), and editors follow that.
func newScalar(n ast.ScalarNode, at place) *raw {
	t := n.GetToken()
	if s, ok := n.(*ast.StringNode); ok && t.Type != token.StringType {
		return &raw{shape: isString, text: s.Value, at: at}
	}
	// A null that is not written stands for a missing value.
	if t.Type == token.ImplicitNullType {
		return &raw{shape: isNull, at: at}
	}
	return &raw{shape: resolveShape(t.Value), text: t.Value, at: at}
}
