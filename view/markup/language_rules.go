package markup

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
)

// makeRules returns the rules of a language that has comments, strings, numbers and words.
func (l language) makeRules() chroma.Rules {
	var rules []chroma.Rule
	add := func(pattern string, t chroma.TokenType) {
		if pattern != "" {
			rules = append(rules, chroma.Rule{Pattern: pattern, Type: t})
		}
	}
	add(l.block, chroma.Comment)
	add(l.line, chroma.Comment)
	for _, kind := range strings.Fields(l.strings) {
		add(stringRules[kind], chroma.LiteralString)
	}
	add(`\s+`, chroma.Text)
	add(`\d[\w.]*`, chroma.LiteralNumber)
	for _, words := range []struct {
		list string
		kind chroma.TokenType
	}{{l.keywords, chroma.Keyword}, {l.types, chroma.KeywordType}} {
		if words.list != "" {
			add(chroma.Words(``, `(?!\w)`, strings.Fields(words.list)...), words.kind)
		}
	}
	add(`[\p{L}_$@][\w$]*(?=\()`, chroma.NameFunction)
	add(`[\p{L}_$@][\w$]*`, chroma.Text)
	add(`[^\w\s]`, chroma.Text)
	return chroma.Rules{"root": rules}
}

func yamlRules() chroma.Rules {
	return chroma.Rules{"root": {
		{Pattern: `#[^\n]*`, Type: chroma.Comment},
		{Pattern: `[\w./-]+(?=\s*:(?:\s|$))`, Type: chroma.NameAttribute},
		{Pattern: stringRules[`"`], Type: chroma.LiteralString},
		{Pattern: stringRules[`'`], Type: chroma.LiteralString},
		{Pattern: `(?:true|false|null|yes|no)(?!\w)`, Type: chroma.Keyword},
		{Pattern: `\d[\d.]*(?![\w-])`, Type: chroma.LiteralNumber},
		{Pattern: `[\w./-]+`, Type: chroma.Text},
		{Pattern: `[\s\S]`, Type: chroma.Text},
	}}
}

func iniRules() chroma.Rules {
	return chroma.Rules{"root": {
		{Pattern: `[#;][^\n]*`, Type: chroma.Comment},
		{Pattern: `^\s*\[[^\n]*\]`, Type: chroma.Keyword},
		{Pattern: `[\w.-]+(?=\s*=)`, Type: chroma.NameAttribute},
		{Pattern: stringRules[`"""`], Type: chroma.LiteralString},
		{Pattern: stringRules[`"`], Type: chroma.LiteralString},
		{Pattern: stringRules[`'`], Type: chroma.LiteralString},
		{Pattern: `(?:true|false)(?!\w)`, Type: chroma.Keyword},
		{Pattern: `\d[\w.]*`, Type: chroma.LiteralNumber},
		{Pattern: `\w+`, Type: chroma.Text},
		{Pattern: `[\s\S]`, Type: chroma.Text},
	}}
}

func jsonRules() chroma.Rules {
	return chroma.Rules{"root": {
		{Pattern: slashes, Type: chroma.Comment},
		{Pattern: stringRules[`"`] + `(?=\s*:)`, Type: chroma.NameAttribute},
		{Pattern: stringRules[`"`], Type: chroma.LiteralString},
		{Pattern: `(?:true|false|null)(?!\w)`, Type: chroma.Keyword},
		{Pattern: `\d[\w.+-]*`, Type: chroma.LiteralNumber},
		{Pattern: `\w+`, Type: chroma.Text},
		{Pattern: `[\s\S]`, Type: chroma.Text},
	}}
}

func xmlRules() chroma.Rules {
	return chroma.Rules{
		"root": {
			{Pattern: `<!--[\s\S]*?(?:-->|\z)`, Type: chroma.Comment},
			{Pattern: `</?[\w:.-]+`, Type: chroma.NameTag, Mutator: chroma.Push("tag")},
			{Pattern: `[^<]+`, Type: chroma.Text},
			{Pattern: `<`, Type: chroma.Text},
		},
		"tag": {
			{Pattern: `/?>`, Type: chroma.NameTag, Mutator: chroma.Pop(1)},
			{Pattern: stringRules[`"`], Type: chroma.LiteralString},
			{Pattern: stringRules[`'`], Type: chroma.LiteralString},
			{Pattern: `[\w:.@-]+`, Type: chroma.Text},
			{Pattern: `[\s\S]`, Type: chroma.Text},
		},
	}
}

func markdownRules() chroma.Rules {
	return chroma.Rules{"root": {
		{Pattern: `^#{1,6} [^\n]*`, Type: chroma.GenericHeading},
		{Pattern: "```[\\s\\S]*?(?:```|\\z)", Type: chroma.LiteralString},
		{Pattern: "`[^`\\n]*`", Type: chroma.LiteralString},
		{Pattern: `^\s*(?:[-*+]|\d+\.) `, Type: chroma.Keyword},
		{Pattern: `[^\n` + "`" + `]+`, Type: chroma.Text},
		{Pattern: `[\s\S]`, Type: chroma.Text},
	}}
}

func makefileRules() chroma.Rules {
	return chroma.Rules{"root": {
		{Pattern: `#[^\n]*`, Type: chroma.Comment},
		{Pattern: `^[\w./%-]+(?=[^\n:=]*:)`, Type: chroma.NameFunction},
		{Pattern: `^[\w.]+(?=\s*[:?+]?=)`, Type: chroma.NameAttribute},
		{Pattern: `\$[({][^)}\n]*[)}]`, Type: chroma.Keyword},
		{Pattern: stringRules[`"`], Type: chroma.LiteralString},
		{Pattern: stringRules[`'`], Type: chroma.LiteralString},
		{Pattern: `[\w./-]+`, Type: chroma.Text},
		{Pattern: `[\s\S]`, Type: chroma.Text},
	}}
}
