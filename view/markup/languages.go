package markup

import (
	"path"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
)

// A language is what a lexer needs to know to colour words, strings and comments.
//
// The lexers of github.com/alecthomas/chroma/v2/lexers are not used: that package parses all of its 280 languages
// before main, which takes five milliseconds of every command. Those here run on the same engine and are made
// when a file of their language is first shown.
type language struct {
	name     string
	files    string // names and endings, separated by spaces
	line     string // what begins a comment to the end of a line, as an expression
	block    string // a comment that may have several lines, as an expression
	strings  string // kinds of strings, by their names in stringRules
	keywords string
	types    string
	anyCase  bool
	rules    func() chroma.Rules // instead of all the above
}

const (
	slashes = `//[^\n]*`
	stars   = `/\*[\s\S]*?(?:\*/|\z)`
	hashes  = `#[^\n]*`
	dashes  = `--[^\n]*`
)

// stringRules are expressions for strings, by what begins them.
var stringRules = map[string]string{
	`"`:   `"(?:\\.|[^"\\\n])*(?:"|$)`,
	`'`:   `'(?:\\.|[^'\\\n])*(?:'|$)`,
	"`":   "`[^`]*(?:`|\\z)",
	`"""`: `"""[\s\S]*?(?:"""|\z)`,
	`'''`: `'''[\s\S]*?(?:'''|\z)`,
	`'c`:  `'(?:\\[^\n]{1,9}?|[^'\\\n])'`, // one character: a lone quote begins a lifetime, or a type variable
	`''`:  `'(?:''|[^'])*(?:'|\z)`,        // SQL
}

const (
	cWords    = "break case continue default do else enum extern for goto if inline register return sizeof static struct switch typedef union volatile while const auto "
	cTypes    = "bool char double float int long short signed unsigned void size_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t "
	javaWords = "abstract break case catch class const continue default do else enum extends final finally for if implements import instanceof interface native new package private protected public return static super switch synchronized this throw throws transient try volatile while true false null var record sealed permits yield "
	jsWords   = "async await break case catch class const continue debugger default delete do else export extends finally for from function get if import in instanceof let new of return set static super switch this throw try typeof var void while with yield true false null undefined "
)

// languages are those that are coloured.
var languages = []language{
	{
		name: "Go", files: "*.go", line: slashes, block: stars, strings: "` \" '",
		keywords: "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var true false nil iota",
		types:    "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr",
	},
	{
		name: "C", files: "*.c *.h *.cc *.cpp *.cxx *.hpp *.hh *.m *.mm *.ino *.cu *.glsl *.proto", line: slashes, block: stars, strings: `" '`, types: cTypes + "string wchar_t",
		keywords: cWords + "alignas asm catch class concept constexpr consteval constinit const_cast co_await co_return co_yield decltype delete dynamic_cast explicit export false friend import message mutable namespace new noexcept nullptr operator private protected public reinterpret_cast repeated requires service static_assert static_cast syntax template this throw true try typeid typename using virtual override final",
	},
	{name: "Java", files: "*.java *.groovy *.gradle", line: slashes, block: stars, strings: `""" " '`, keywords: javaWords, types: "boolean byte char double float int long short void String Object Integer List Map"},
	{
		name: "Kotlin", files: "*.kt *.kts *.scala *.sc", line: slashes, block: stars, strings: `""" " 'c`, types: "Any Boolean Byte Char Double Float Int Long Nothing Short String Unit",
		keywords: javaWords + "as by companion constructor data def fun given implicit in init inline internal is lateinit lazy match object of open operator out override reified suspend then trait type val when where with",
	},
	{name: "C#", files: "*.cs", line: slashes, block: stars, strings: `""" " '`, keywords: javaWords + "as async await base checked delegate event explicit fixed foreach get global goto implicit in init internal is lock namespace nameof operator out override params partial readonly ref required set sizeof stackalloc struct typeof unchecked unsafe using virtual when where with", types: "bool byte char decimal double dynamic float int long nint nuint object sbyte short string uint ulong ushort void"},
	{
		name: "JavaScript", files: "*.js *.jsx *.mjs *.cjs *.ts *.tsx *.mts *.cts *.vue *.svelte", line: slashes, block: stars, strings: "` \" '",
		keywords: jsWords + "abstract as asserts declare enum implements infer interface is keyof module namespace private protected public readonly satisfies type",
		types:    "any bigint boolean never number object string symbol unknown Array Map Promise Record Set",
	},
	{
		name: "Rust", files: "*.rs", line: slashes, block: stars, strings: `" 'c`, types: "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize String Vec Option Result Box",
		keywords: "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type union unsafe use where while",
	},
	{
		name: "Swift", files: "*.swift *.dart *.zig *.v", line: slashes, block: stars, strings: `""" " '`, types: "Any Bool Character Double Float Int String Void bool dynamic f32 f64 i32 i64 num u8 u32 u64 usize void",
		keywords: javaWords + "actor as async await associatedtype comptime convenience defer deinit didSet errdefer extension fileprivate fn func get guard in indirect init inout internal is lazy let mixin mutating nil open operator optional orelse override pub required rethrows self Self set some struct subscript test throws typealias unowned weak where willSet",
	},
	{name: "PHP", files: "*.php", line: `(?://|#)[^\n]*`, block: stars, strings: `" '`, keywords: javaWords + "and array as clone declare echo elseif empty endfor endforeach endif endwhile fn foreach function global goto include include_once insteadof isset list match namespace or print readonly require require_once trait unset use xor", types: "bool float int iterable mixed object string void"},
	{
		name: "Python", files: "*.py *.pyi *.bzl *.star BUILD SConstruct", line: hashes, strings: `""" ''' " '`, types: "bool bytes dict float int list object set str tuple",
		keywords: "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield",
	},
	{
		name: "Ruby", files: "*.rb *.rake *.gemspec Gemfile Rakefile *.cr", line: hashes, strings: `" '`,
		keywords: "alias and attr_accessor attr_reader begin break case class def defined? do else elsif end ensure false for if in include module next nil not or private raise redo require require_relative rescue retry return self super then true undef unless until when while yield",
	},
	{
		name: "Elixir", files: "*.ex *.exs", line: hashes, strings: `""" " '`,
		keywords: "after alias and case catch cond def defimpl defmacro defmodule defp defprotocol defstruct do else end false fn for if import in nil not or quote raise receive require rescue true try unless unquote use when with",
	},
	{
		name: "shell", files: "*.sh *.bash *.zsh *.ksh *.fish .bashrc .zshrc .profile", line: hashes, strings: `" '`,
		keywords: "alias break case continue declare do done elif else esac eval exec exit export fi for function if in local readonly return select set shift source then trap unset until while",
	},
	{name: "Perl", files: "*.pl *.pm *.t", line: hashes, strings: `" '`, keywords: "and bless cmp die do else elsif eq eval for foreach ge given gt if last le local lt my ne next no not or our package print redo ref require return say shift sub undef unless until use when while xor"},
	{name: "R", files: "*.r *.R *.jl *.nix", line: hashes, strings: `""" " '`, keywords: "abstract baremodule begin break catch const do else elseif end export FALSE false finally for function global if import in inherit let library local macro module mutable next NULL nothing quote rec repeat return struct then TRUE true try type using where while with"},
	{name: "Lua", files: "*.lua", line: dashes, strings: `" '`, keywords: "and break do else elseif end false for function goto if in local nil not or repeat return then true until while"},
	{name: "Haskell", files: "*.hs *.elm", line: dashes, block: `\{-[\s\S]*?(?:-\}|\z)`, strings: `" 'c`, keywords: "as case class data default deriving do else exposing forall foreign hiding if import in infix infixl infixr instance let module newtype of port qualified then type where"},
	{name: "OCaml", files: "*.ml *.mli *.fs *.fsx", line: slashes, block: `\(\*[\s\S]*?(?:\*\)|\z)`, strings: `" 'c`, keywords: "and as assert begin class constraint do done downto else end exception external false for fun function functor if in include inherit initializer lazy let match method module mutable namespace new object of open or private rec sig struct then to true try type val virtual when while with yield"},
	{
		name: "SQL", files: "*.sql", line: dashes, block: stars, strings: `'' "`, anyCase: true,
		keywords: "add all alter and as asc begin between by case check column commit constraint create cross current_timestamp default delete desc distinct drop else end exists false foreign from full function grant group having if in index inner insert into is join key left like limit not null on or order outer primary references replace returning right rollback select set table then transaction trigger true union unique update using values view when where with",
		types:    "bigint binary blob boolean char date decimal double float int integer json jsonb numeric real serial smallint text time timestamp timestamptz uuid varchar",
	},
	{name: "CSS", files: "*.css *.scss *.sass *.less", line: `(?<![:\w])//[^\n]*`, block: stars, strings: `" '`, keywords: "important inherit initial unset none auto"},
	{name: "Terraform", files: "*.tf *.tfvars *.hcl", line: `(?://|#)[^\n]*`, block: stars, strings: `"`, keywords: "data for for_each if in locals module null output provider resource terraform true false variable"},
	{name: "YAML", files: "*.yaml *.yml", rules: yamlRules},
	{name: "INI", files: "*.toml *.ini *.cfg *.conf *.properties .editorconfig .gitconfig *.service *.env .env", rules: iniRules},
	{name: "JSON", files: "*.json *.jsonl *.json5 *.jsonc .prettierrc .eslintrc", rules: jsonRules},
	{name: "XML", files: "*.html *.htm *.xml *.svg *.xhtml *.xsd *.csproj *.plist", rules: xmlRules},
	{name: "Markdown", files: "*.md *.markdown *.mdx", rules: markdownRules},
	{name: "Makefile", files: "Makefile makefile GNUmakefile *.mk justfile Justfile", rules: makefileRules},
	{name: "Dockerfile", files: "Dockerfile Containerfile *.dockerfile", line: hashes, strings: `" '`, keywords: "ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL MAINTAINER ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR"},
}

// lexers are the lexers of languages, each made when it is first asked for.
var lexers = sync.OnceValue(func() map[string]func() chroma.Lexer {
	all := map[string]func() chroma.Lexer{}
	for _, l := range languages {
		lexer := sync.OnceValue(l.newLexer)
		for _, file := range strings.Fields(l.files) {
			all[file] = lexer
		}
	}
	return all
})

// lexerFor returns the lexer of a file by its name, or nil if its language is not known.
func lexerFor(name string) chroma.Lexer {
	base := path.Base(name)
	if lexer, ok := lexers()[base]; ok {
		return lexer()
	}
	if lexer, ok := lexers()["*"+path.Ext(base)]; ok && path.Ext(base) != "" {
		return lexer()
	}
	return nil
}

// newLexer returns the lexer of a language, or nil if its rules are wrong, which a test forbids.
func (l language) newLexer() chroma.Lexer {
	rules := l.rules
	if rules == nil {
		rules = l.makeRules
	}
	lexer, err := chroma.NewLexer(&chroma.Config{Name: l.name, CaseInsensitive: l.anyCase}, rules)
	if err != nil {
		return nil
	}
	return lexer
}
