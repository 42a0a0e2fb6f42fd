// Package web draws sessions as pages of HTML: functions over snapshots, states and timelines, and the
// templates, style and script that they need. It reads nothing and sends nothing; internal/page serves it.
// Every text of a session is put into a page by html/template or by view/markup, as text.
package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"path"
	"time"

	"mulligan/view/markup"
)

//go:embed templates/*.html static/app.css static/app.js static/idiomorph.js
var files embed.FS

// A Frame is what every page has around its content.
type Frame struct {
	Title    string
	Here     string // the address of the page, where its forms lead back to
	Live     string // the address of its changes; "" if it does not change
	Form     string // what its forms carry
	ReadOnly bool
	Now      time.Time
	Version  string
	Notice   string // what came of the last form
	Session  *Heading
}

// A Heading names the session that a page is about, with the pages that it has.
type Heading struct {
	ID, Name, Repository, Here string
}

// Pages are the templates.
type Pages struct {
	all *template.Template
}

// New parses the templates.
func New() (*Pages, error) {
	assets := map[string]string{}
	for _, name := range []string{"app.css", "app.js", "idiomorph.js"} {
		data, err := readAsset(name)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(data)
		assets[name] = "/static/" + name + "?" + hex.EncodeToString(sum[:6])
	}
	all, err := template.New("").Funcs(functions(assets)).ParseFS(files, "templates/*.html")
	if err != nil {
		return nil, fmt.Errorf("the templates of the page: %w", err)
	}
	return &Pages{all: all}, nil
}

// Write writes a page, or nothing if it cannot be made.
func (p *Pages) Write(w io.Writer, name string, data any) error {
	var b bytes.Buffer
	if err := p.all.ExecuteTemplate(&b, name, data); err != nil {
		return err
	}
	_, err := b.WriteTo(w)
	return err
}

// readAsset returns a file that pages name. The style has that of the markup in it.
func readAsset(name string) ([]byte, error) {
	data, err := fs.ReadFile(files, "static/"+name)
	if name == "app.css" {
		data = append([]byte(markup.Style), data...)
	}
	return data, err
}

// Assets serves the files that pages name. Their addresses change with their content.
func Assets() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := readAsset(path.Base(r.URL.Path))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		kind := "text/javascript; charset=utf-8"
		if path.Ext(r.URL.Path) == ".css" {
			kind = "text/css; charset=utf-8"
		}
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		_, _ = w.Write(data)
	})
}
