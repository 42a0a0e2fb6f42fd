package task

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"mulligan/internal/text"
)

// decode reads a request's arguments into to. It refuses what does not fit by the field's name: a
// model fixes what it knows of.
func decode(r Request, to any) error {
	args := bytes.TrimSpace(r.Args)
	if len(args) == 0 || bytes.Equal(args, []byte("null")) {
		args = []byte("{}")
	}
	if args[0] != '{' {
		return refuse("%s takes a JSON object: %s", r.Tool, describeFields(r.Tool))
	}
	d := json.NewDecoder(bytes.NewReader(args))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return explainMisfit(r.Tool, err)
	}
	if d.More() {
		return refuse("%s takes one JSON object, and got more than that", r.Tool)
	}
	return nil
}

// explainMisfit turns a decoder's error into words for a model.
func explainMisfit(tool string, err error) error {
	if odd, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return refuse("%s: %s is a %s here; want %s", tool, cmp.Or(odd.Field, "the argument"), odd.Value, describeWanted(tool, odd.Field))
	}
	if own, ok := errors.AsType[*Refusal](err); ok {
		return refuse("%s: %s", tool, own.Message)
	}
	if _, bad := errors.AsType[*json.SyntaxError](err); bad || errors.Is(err, io.ErrUnexpectedEOF) {
		return refuse("%s: the arguments are not JSON (%v): %s", tool, err, describeFields(tool))
	}
	// What is left is a field that the tool does not have, for which the decoder has no type.
	name := strings.TrimPrefix(err.Error(), "json: unknown field ")
	return refuse("%s does not take %s: %s", tool, text.Clip(name, quotedLength), describeFields(tool))
}

// describeWanted returns what a field should be. Of a field inside a list the last name counts.
func describeWanted(tool, field string) string {
	name := field[strings.LastIndexByte(field, '.')+1:]
	for _, f := range slices.Concat(findTool(tool).Fields, manyFields()) {
		if f.Name == name {
			words, _ := f.Kind.describeWithSchema()
			return words
		}
	}
	return "what the tool's description says"
}

// describeFields returns which arguments a tool takes.
func describeFields(tool string) string {
	var names []string
	for _, f := range findTool(tool).Fields {
		if f.Required {
			f.Name += " (required)"
		}
		names = append(names, f.Name)
	}
	if len(names) == 0 {
		return "it takes no arguments"
	}
	return "it takes " + strings.Join(names, ", ")
}

// checkText checks a text of the agent's and returns it without the blanks around it.
func checkText(tool, field, s string, most int) (string, error) {
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		return "", refuse("%s: %s is empty: say what it is about", tool, field)
	case strings.ContainsRune(s, 0):
		return "", refuse("%s: %s has a NUL character in it: leave that out", tool, field)
	case utf8.RuneCountInString(s) > most:
		return "", refuse("%s: %s has %d characters, and %d are the most: shorten it, or put the details into a file of the workspace and name that",
			tool, field, utf8.RuneCountInString(s), most)
	}
	return s, nil
}

// oneOrMany is a list that may be given as its only element.
type oneOrMany []string

func (o *oneOrMany) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		if one != "" {
			*o = oneOrMany{one}
		}
		return nil
	}
	var many []string
	if err := json.Unmarshal(data, &many); err != nil {
		return refuse("status is neither a text nor a list of texts: want one of %s, or a list of them", statusNames())
	}
	*o = many
	return nil
}

func joinIDs(list []int) string {
	words := make([]string, len(list))
	for i, id := range list {
		words[i] = fmt.Sprint(id)
	}
	return strings.Join(words, ", ")
}
