package config

import (
	"slices"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// node turns a node of the parser's into ours.
func (p *reading) node(n ast.Node, path string, depth int) *raw {
	at := p.start(n)
	p.nodes++
	if depth > maxDepth || p.nodes > maxNodes {
		if p.nodes <= maxNodes+1 {
			p.wrong(at, path, "nested deeper than %d levels, or too many values", maxDepth)
			p.nodes = maxNodes + 1
		}
		return &raw{shape: isBad, at: at}
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return p.mapping(n.Values, at, path, depth)
	case *ast.MappingValueNode:
		return p.mapping([]*ast.MappingValueNode{n}, at, path, depth)
	case *ast.SequenceNode:
		return p.list(n, at, path, depth)
	case *ast.LiteralNode:
		return &raw{shape: isString, text: n.Value.Value, at: at}
	case *ast.AnchorNode:
		return p.anchor(n, path, depth)
	case *ast.AliasNode:
		return p.alias(n, path, depth)
	case *ast.TagNode:
		p.wrong(at, path, "tags such as %s are not supported: write the value itself, in quotes where it is text", n.Start.Value)
		return &raw{shape: isBad, at: at}
	case ast.ScalarNode:
		return scalarOf(n, at)
	}
	p.wrong(at, path, "not supported here")
	return &raw{shape: isBad, at: at}
}

func (p *reading) list(n *ast.SequenceNode, at place, path string, depth int) *raw {
	list := &raw{shape: isList, at: at, items: make([]*raw, 0, len(n.Values))}
	for i, v := range n.Values {
		list.items = append(list.items, p.node(v, index(path, i), depth+1))
	}
	return list
}

func (p *reading) mapping(values []*ast.MappingValueNode, at place, path string, depth int) *raw {
	m := &raw{shape: isMap, at: at}
	seen := map[string]place{}
	for _, v := range values {
		key, ok := p.key(v.Key, path)
		if !ok {
			continue
		}
		keyAt := p.start(v.Key)
		if first, twice := seen[key]; twice {
			p.wrong(keyAt, join(path, key), "the key is given twice, first in line %d", first.src.first+first.line)
			continue
		}
		seen[key] = keyAt
		value := p.node(v.Value, join(path, key), depth+1)
		if value.shape == isNull && value.text == "" {
			value.at = keyAt
		}
		m.entries = append(m.entries, entry{key: key, at: keyAt, value: value})
	}
	return m
}

// key is the text of a key; whatever is not plainly text is a mistake.
func (p *reading) key(n ast.MapKeyNode, path string) (string, bool) {
	at := p.start(n)
	switch k := n.(type) {
	case *ast.MergeKeyNode:
		p.wrong(at, path, "merge keys (<<) are not supported: write the keys out, or alias a whole value")
		return "", false
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	case *ast.MappingKeyNode:
		if s, ok := k.Value.(*ast.StringNode); ok {
			return s.Value, true
		}
	}
	p.wrong(at, path, "a key must be plain text")
	return "", false
}

func (p *reading) anchor(n *ast.AnchorNode, path string, depth int) *raw {
	name := n.Name.GetToken().Value
	p.anchors[name] = n.Value
	p.open = append(p.open, name)
	defer func() { p.open = p.open[:len(p.open)-1] }()
	if n.Value == nil {
		return &raw{shape: isNull, at: p.start(n)}
	}
	return p.node(n.Value, path, depth)
}

// alias is the anchored value again. It is bounded by the count of all nodes, so that
// a few lines cannot stand for a billion.
func (p *reading) alias(n *ast.AliasNode, path string, depth int) *raw {
	name, at := n.Value.GetToken().Value, p.start(n)
	value, ok := p.anchors[name]
	switch {
	case !ok:
		p.wrong(at, path, "there is no anchor &%s above", name)
		return &raw{shape: isBad, at: at}
	case slices.Contains(p.open, name):
		p.wrong(at, path, "the alias *%s stands inside its own anchor", name)
		return &raw{shape: isBad, at: at}
	case value == nil:
		return &raw{shape: isNull, at: at}
	}
	p.open = append(p.open, name)
	defer func() { p.open = p.open[:len(p.open)-1] }()
	return p.node(value, path, depth)
}

// start is the first character of a node: the parser gives a mapping's colon.
func (p *reading) start(n ast.Node) place {
	switch n := n.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return p.start(n.Values[0])
		}
	case *ast.MappingValueNode:
		return p.start(n.Key)
	case *ast.MappingKeyNode:
		return p.place(n.Start)
	}
	return p.place(n.GetToken())
}

// scalarOf resolves a plain scalar by our own rules: the parser's differ from YAML 1.2
// here and there (08, 1e3), and editors go by that.
func scalarOf(n ast.ScalarNode, at place) *raw {
	t := n.GetToken()
	if s, ok := n.(*ast.StringNode); ok && t.Type != token.StringType {
		return &raw{shape: isString, text: s.Value, at: at}
	}
	// A null that nobody wrote stands for a missing value.
	if t.Type == token.ImplicitNullType {
		return &raw{shape: isNull, at: at}
	}
	return &raw{shape: resolve(t.Value), text: t.Value, at: at}
}
