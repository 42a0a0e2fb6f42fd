package page

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mulligan"
	"mulligan/internal/regular"
	"mulligan/internal/runner"
	"mulligan/internal/turnlog"
	"mulligan/state"
	"mulligan/view"
	"mulligan/view/web"
)

const (
	// tailBytes is how much of an output's end is read for a page, and tailLines how many lines of it are shown.
	tailBytes = 64 << 10
	tailLines = 300
	// pageBytes is how much of an output a page of it has.
	pageBytes = 128 << 10
)

// isRaw reports whether an agent's turns leave what its program printed, as it is.
func isRaw(state *state.State, agent string) bool {
	return state.Plan != nil && state.Plan.Agents[agent].Type == "program"
}

// A printing is the file that an agent, a check or a hook prints to; path is "" if none does.
type printing struct {
	path string
	raw  bool // the file has no marks
}

// findPrinting returns where a running session prints now.
func (v *visit) findPrinting(session string, is look) printing {
	if t := is.state.InFlight; t != nil {
		return printing{t.Log, isRaw(is.state, t.Agent)}
	}
	folders, err := v.config.Env.Folders()
	if err != nil || is.snap.Running == nil {
		return printing{}
	}
	for _, e := range slices.Backward(is.events[max(0, len(is.events)-lastEvents):]) {
		var end mulligan.Body // of what has begun
		switch b := e.Body.(type) {
		case mulligan.GateStarted:
			end = mulligan.GateEnded{Index: b.Index, Try: b.Try}
		case mulligan.HookStarted:
			end = mulligan.HookEnded{Run: b.Run}
		default:
			continue
		}
		return printing{filepath.Join(folders.Session(session), runner.OutputFile(mulligan.Event{Body: end}, is.state.Turn)), true}
	}
	return printing{}
}

// lastEvents is how many events are searched for what runs now.
const lastEvents = 20

// readTail returns the end of what was printed, or nil if that is not there.
func (v *visit) readTail(session string, p printing) *web.Output {
	address := v.outputAddress(session, p.path)
	if address == "" {
		return nil
	}
	part, err := readPart(p.path, -1, tailBytes, p.raw)
	if err != nil {
		return nil // it is not there yet, or on another machine
	}
	out := &web.Output{Name: filepath.Base(p.path), Lines: part.lines, Whole: address + "?raw=1", Bytes: part.size}
	if n := len(out.Lines); n > tailLines {
		out.Lines = out.Lines[n-tailLines:]
	}
	if part.from > 0 || len(part.lines) > tailLines {
		out.Earlier = address + "?to=" + strconv.FormatInt(part.size, 10)
	}
	return out
}

// A part is a piece of an output.
type part struct {
	lines    []web.OutputLine
	from, to int64 // where it lies
	size     int64 // of the whole
}

// readPart reads at most so many bytes of an output, from an offset or, with -1, the end of it, in whole lines.
func readPart(path string, from, most int64, raw bool) (part, error) {
	file, info, err := regular.Open(path)
	if err != nil {
		return part{}, err
	}
	defer file.Close()
	p := part{size: info.Size()}
	if from < 0 {
		from = max(0, p.size-most)
	}
	p.from = min(from, p.size)
	data, err := io.ReadAll(io.NewSectionReader(file, p.from, most))
	if err != nil {
		return part{}, err
	}
	if p.from > 0 { // the first line may be the end of one
		cut := bytes.IndexByte(data, '\n') + 1
		data, p.from = data[cut:], p.from+int64(cut)
	}
	if end := bytes.LastIndexByte(data, '\n'); end >= 0 && p.from+int64(len(data)) < p.size {
		data = data[:end+1]
	}
	p.to = p.from + int64(len(data))
	lines := turnlog.NewSplitter(raw, func(l turnlog.Line) {
		p.lines = append(p.lines, web.OutputLine{Kind: string(l.Kind), Text: view.Text(l.Text)})
	})
	_, _ = lines.Write(data)
	lines.Flush()
	return p, nil
}

// showOutput shows a page of an output, or with raw all of it as plain text.
func (v *visit) showOutput() error {
	e, w, release, err := v.openSession()
	if err != nil || w == nil {
		return err
	}
	defer release()
	folders, err := v.config.Env.Folders()
	if err != nil {
		return err
	}
	name := v.r.PathValue("file")
	if name != filepath.Base(name) || !strings.HasSuffix(name, ".log") {
		v.refuse(http.StatusNotFound, "There is no such output", "")
		return nil
	}
	path := filepath.Join(folders.Session(e.ID), name)
	query := v.r.URL.Query()
	if query.Get("raw") != "" {
		return v.streamFile(path)
	}
	from, err := strconv.ParseInt(query.Get("from"), 10, 64)
	if err != nil {
		from = 0
	}
	if to, err := strconv.ParseInt(query.Get("to"), 10, 64); err == nil {
		from = max(0, to-pageBytes)
	}
	raw := true
	w.inspect(v.now(), func(is look) { raw = !isTurnLog(name) || isRawFile(is, path) })
	part, err := readPart(path, from, pageBytes, raw)
	if err != nil {
		v.refuse(http.StatusNotFound, "This output is not there", "It was removed, or never printed.")
		return nil
	}
	address := v.r.URL.Path
	out := web.Output{Name: name, Lines: part.lines, Whole: address + "?raw=1", Bytes: part.size}
	if part.from > 0 {
		out.Earlier = address + "?to=" + strconv.FormatInt(part.from, 10)
	}
	if part.to < part.size {
		out.Later = address + "?from=" + strconv.FormatInt(max(0, part.to-1), 10)
	}
	return v.show("printed", web.Printed{Frame: v.sessionFrame(e, "output"), Output: out})
}

// isTurnLog reports whether an output is that of a turn.
func isTurnLog(name string) bool {
	rest, ok := strings.CutPrefix(name, "turn-")
	_, err := strconv.Atoi(strings.TrimSuffix(rest, ".log"))
	return ok && err == nil
}

// isRawFile reports whether the agent of a turn leaves what its program printed, as it is.
func isRawFile(is look, path string) bool {
	for _, e := range is.events {
		if b, ok := e.Body.(mulligan.TurnStarted); ok && b.Log == path {
			return isRaw(is.state, b.Agent)
		}
	}
	return false
}

// streamFile sends an output as text, as it is on the disk but for secrets. It is never held whole.
func (v *visit) streamFile(path string) error {
	file, _, err := regular.Open(path)
	if err != nil {
		v.refuse(http.StatusNotFound, "This output is not there", "It was removed, or never printed.")
		return nil
	}
	defer file.Close()
	v.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.Copy(v.w, v.config.Env.Secrets.Reader(file)) // an error means that who asked has gone
	return nil
}
