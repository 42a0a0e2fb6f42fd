package guardhook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"mulligan"
	"mulligan/hook/claudecode"
	"mulligan/internal/text"
)

const (
	maxLog   = 1 << 20 // bytes; a longer log becomes guard.log.1
	maxFault = 1000    // characters
)

// A logEntry is a line of the log.
type logEntry struct {
	Time         time.Time `json:"time"`
	Event        string    `json:"event"`
	Tool         string    `json:"tool,omitempty"`
	Conversation string    `json:"conversation,omitempty"`
	Dir          string    `json:"dir,omitempty"`
	Answer       string    `json:"answer"` // allowed, denied
	Items        []logItem `json:"items,omitempty"`
	Took         float64   `json:"took_ms"`
	Fault        string    `json:"fault,omitempty"`
}

// A logItem is a claimed item.
type logItem struct {
	Content string               `json:"content"`
	Attempt int                  `json:"attempt"`
	Status  mulligan.GuardStatus `json:"status"`
}

func (l *logEntry) addClaim(claim mulligan.GuardClaim) {
	for _, item := range claim.Items {
		l.Items = append(l.Items, logItem{Content: text.Clip(item.Content, 200), Attempt: item.Attempt, Status: item.Status})
	}
}

// writeLog adds a line to the log, where the guard is on. A log that cannot be written is no obstacle.
func (w *work) writeLog(out claudecode.Encoded) {
	if w.rules == nil && w.log.Fault == "" {
		return
	}
	folders, err := w.env.Folders()
	if err != nil {
		return
	}
	l := w.log
	l.Event, l.Tool, l.Conversation, l.Dir = w.name, w.event.Call.Tool, w.event.Conversation, w.root
	l.Time, l.Took = l.Time.UTC(), float64(time.Since(l.Time).Microseconds())/1000
	if l.Answer = "allowed"; out.Exit != 0 || out.Stdout != "" {
		l.Answer = "denied"
	}
	l.Fault = text.Clip(l.Fault, maxFault)
	line, err := json.Marshal(w.env.Secrets.Value(l))
	if err == nil {
		appendLine(folders.GuardLog(), append(line, '\n'))
	}
}

// appendLine adds a line to a log, in one write, so that lines of processes side by side stay whole.
func appendLine(path string, line []byte) {
	if info, err := os.Stat(path); err == nil && info.Size() > maxLog {
		_ = os.Rename(path, path+".1") // of two that do it at once the later moves a short one
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if os.IsNotExist(err) && os.MkdirAll(filepath.Dir(path), 0o700) == nil {
		f, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	}
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = f.Write(line)
}
