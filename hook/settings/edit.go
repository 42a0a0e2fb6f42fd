package settings

import (
	"bytes"
	"slices"

	"github.com/tailscale/hujson"
)

// What is added stands before all that its container has, so that it can be cut out again without a
// trace. Where the container was empty, white space behind its opening bracket tells what it was like
// before, for the same reason.
const (
	wasEmpty     = " "      // it was there, and empty; its white space is before this
	wasEmptyLine = "\t"     // it was there, and empty; its white space, with a line end, is at its own end
	madeFolder   = "\t\t"   // file and folder were made
	wasEmptyFile = "\t\t\t" // the file was there, without an object
)

// An item is an element of an array or a member of an object.
type item struct {
	start, end int
	before     []byte // between the opening bracket, or the comma before it, and its start
	after      []byte // between its end and the comma behind it; nil if there is no comma
}

// itemsOf returns the items of an object or an array.
func itemsOf(container *hujson.Value) []item {
	var items []item
	switch v := container.Value.(type) {
	case *hujson.Object:
		for _, m := range v.Members {
			items = append(items, item{m.Name.StartOffset, m.Value.EndOffset, m.Name.BeforeExtra, m.Value.AfterExtra})
		}
	case *hujson.Array:
		for _, e := range v.Elements {
			items = append(items, item{e.StartOffset, e.EndOffset, e.BeforeExtra, e.AfterExtra})
		}
	}
	return items
}

// closingExtra returns what stands before a container's closing bracket, behind its last item or comma.
func closingExtra(container *hujson.Value) []byte {
	switch v := container.Value.(type) {
	case *hujson.Object:
		return v.AfterExtra
	case *hujson.Array:
		return v.AfterExtra
	}
	return nil
}

// insert returns the text with an item in front of all that the container has. render returns the item
// as it is written at an indentation; outer is the indentation of the container itself.
func (d *document) insert(container *hujson.Value, outer string, l layout, render func(indent string) string) []byte {
	indent := outer + l.unit
	if found, ok := indentOf(container); ok {
		indent = found
	}
	if l.newline == "" {
		indent, outer = "", ""
	}
	open, last := container.StartOffset+1, container.EndOffset-1
	added := l.newline + indent + render(indent)
	switch {
	case len(itemsOf(container)) > 0:
		return splice(d.text, open, open, added+",")
	case bytes.ContainsRune(closingExtra(container), '\n'):
		return splice(d.text, open, open, wasEmptyLine+added)
	default:
		return splice(d.text, last, last, wasEmpty+added+l.newline+outer)
	}
}

// cut returns the text without an item of a container. Comments around it stay.
func (d *document) cut(container *hujson.Value, index int) []byte {
	items := itemsOf(container)
	it := items[index]
	switch {
	case len(items) == 1:
		return d.cutOnly(container, it)
	case index == 0 && isBlank(it.before) && isBlank(it.after):
		return splice(d.text, container.StartOffset+1, it.end+len(it.after)+1, "")
	case index == 0:
		comma := it.end + len(it.after)
		return splice(splice(d.text, comma, comma+1, ""), it.start, it.end, "")
	}
	previous := items[index-1]
	comma := previous.end + len(previous.after)
	if isBlank(it.before) {
		return splice(d.text, comma, it.end, "")
	}
	return splice(splice(d.text, it.start, it.end, ""), comma, comma+1, "")
}

// cutOnly returns the text without the one item that a container has.
func (d *document) cutOnly(container *hujson.Value, it item) []byte {
	open, last := container.StartOffset+1, container.EndOffset-1
	text := d.text
	if it.after != nil { // a comma
		comma := it.end + len(it.after)
		text = splice(text, comma, comma+1, "")
		last--
	}
	mark, earlier := readMark(it.before)
	switch {
	case mark == wasEmptyLine:
		return splice(text, open, it.end, "")
	case !isBlank(it.before) && mark != wasEmpty || !isBlank(text[it.end:last]):
		return splice(text, it.start, it.end, "")
	case mark == wasEmpty:
		return splice(text, open+len(earlier), last, "")
	default:
		return splice(text, open, last, "")
	}
}

// readMark returns the mark in what stands before the first item of a container, and what stood there
// before the mark was set. Without a mark it returns "".
func readMark(before []byte) (mark string, earlier []byte) {
	head := before
	if i := bytes.LastIndexByte(before, '\n'); i >= 0 {
		if !isBlank(before[i:]) {
			return "", nil // a comment begins the line
		}
		head = bytes.TrimSuffix(before[:i], []byte("\r"))
	}
	if i := slices.Index([]string{wasEmptyLine, madeFolder, wasEmptyFile}, string(head)); i >= 0 {
		return string(head), nil
	}
	if earlier, ok := bytes.CutSuffix(head, []byte(wasEmpty)); ok {
		return wasEmpty, earlier
	}
	return "", nil
}

// isMade reports whether a container is one that was made for the one item that it has: nothing else
// would be left in it.
func isMade(container *hujson.Value) bool {
	items := itemsOf(container)
	if len(items) != 1 || !isBlank(items[0].before) || !isBlank(items[0].after) || !isBlank(closingExtra(container)) {
		return false
	}
	mark, _ := readMark(items[0].before)
	return mark != wasEmpty && mark != wasEmptyLine
}

// splice returns the text with other words from one offset to another.
func splice(text []byte, from, to int, words string) []byte {
	return slices.Concat(text[:from], []byte(words), text[to:])
}
