package claudecode

import (
	"bytes"
	"encoding/json"
)

// A member is a field of an object, as it is in the file.
type member struct {
	name  string
	value json.RawMessage
}

// readMembers returns the fields of an object in the file's order. Of a name that is there twice
// the last value counts, at the first place.
func readMembers(raw json.RawMessage) ([]member, bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if first, err := dec.Token(); err != nil || first != json.Delim('{') {
		return nil, false
	}
	var all []member
	place := map[string]int{}
	for dec.More() {
		key, err := dec.Token()
		name, ok := key.(string)
		var value json.RawMessage
		if err != nil || !ok || dec.Decode(&value) != nil {
			return nil, false
		}
		if i, seen := place[name]; seen {
			all[i].value = value
			continue
		}
		place[name] = len(all)
		all = append(all, member{name: name, value: value})
	}
	return all, true
}
