package claudecode

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// A jsonPlace is where in a JSON file a value stands: the names and indexes that lead to it.
type jsonPlace []string

// field returns the place of an object's field.
func (p jsonPlace) field(name string) jsonPlace { return append(p[:len(p):len(p)], name) }

// item returns the place of a list's item.
func (p jsonPlace) item(i int) jsonPlace { return p.field("[" + strconv.Itoa(i) + "]") }

// String returns the place for a message: hooks.Stop[0].hooks[1].
func (p jsonPlace) String() string {
	var text strings.Builder
	for i, name := range p {
		if i > 0 && !strings.HasPrefix(name, "[") {
			text.WriteByte('.')
		}
		text.WriteString(name)
	}
	return text.String()
}

// offset returns where in the data the value of a place begins, or where the value does that should
// hold it. The data must be JSON.
func (p jsonPlace) offset(data []byte) int {
	at := skipBlanks(data, 0)
	for _, name := range p {
		next, found := findChild(data, at, name)
		if !found {
			return at
		}
		at = next
	}
	return at
}

// findChild returns where the field or the item of that name begins in the value at an offset. Of a
// name that is there twice the last counts.
func findChild(data []byte, at int, name string) (child int, found bool) {
	dec := json.NewDecoder(bytes.NewReader(data[at:]))
	opening, err := dec.Token()
	if err != nil || opening != json.Delim('{') && opening != json.Delim('[') {
		return 0, false
	}
	for i := 0; dec.More(); i++ {
		key := jsonPlace{}.item(i)[0]
		if opening == json.Delim('{') {
			token, err := dec.Token()
			text, ok := token.(string)
			if err != nil || !ok {
				return child, found
			}
			key = text
		}
		begin := skipBlanks(data, at+int(dec.InputOffset()))
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return child, found
		}
		if key == name {
			child, found = begin, true
		}
	}
	return child, found
}

// skipBlanks returns the offset of the next byte that is neither blank nor between two values.
func skipBlanks(data []byte, at int) int {
	for at < len(data) && bytes.IndexByte([]byte(" \t\r\n:,"), data[at]) >= 0 {
		at++
	}
	return at
}
