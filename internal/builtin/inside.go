package builtin

import (
	"encoding/json"
	"time"

	"mulligan"
)

// A moment is where a program that has hooks inside itself is told to ask mulligan.
type moment struct {
	Event   string        `json:"event"`
	Matcher string        `json:"matcher,omitempty"`
	Timeout time.Duration `json:"timeout,omitempty"`
}

// answerTime is what asking mulligan takes besides the hooks themselves.
const answerTime = 10 * time.Second

// inside are the moments, one of each event: mulligan itself picks the hooks whose matcher fits.
func (d Deps) inside() []moment {
	var list []moment
	place := map[string]int{}
	for _, h := range d.Inside {
		i, known := place[h.Event]
		if !known {
			place[h.Event] = len(list)
			list = append(list, moment{Event: h.Event, Matcher: h.Matcher, Timeout: h.Timeout + answerTime})
			continue
		}
		if list[i].Matcher != h.Matcher {
			list[i].Matcher = ""
		}
		list[i].Timeout = max(list[i].Timeout, h.Timeout+answerTime)
	}
	return list
}

// withInside is a spec whose options have the moments.
func (d Deps) withInside(spec mulligan.AgentSpec) (mulligan.AgentSpec, error) {
	moments := d.inside()
	if len(moments) == 0 {
		return spec, nil
	}
	options := map[string]json.RawMessage{}
	if len(spec.Options) > 0 {
		if err := json.Unmarshal(spec.Options, &options); err != nil {
			return spec, err
		}
	}
	data, err := json.Marshal(moments)
	if err != nil {
		return spec, err
	}
	options["hooks"] = data
	spec.Options, err = json.Marshal(options)
	return spec, err
}
