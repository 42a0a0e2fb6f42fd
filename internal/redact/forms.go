package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
)

// listForms returns a value in the ways that programs print it, each in pieces of bounded length.
func listForms(value string) []string {
	crlf := strings.ReplaceAll(value, "\n", "\r\n") // as a terminal prints it
	whole := []string{value, crlf}
	escaped := []string{escapeJSON(value, false), escapeJSON(value, true), escapeNonASCII(escapeJSON(value, false))}
	whole = append(whole, escaped...)
	for _, e := range escaped {
		whole = append(whole, strings.ReplaceAll(e, "/", `\/`), escapeJSON(e, false)) // and JSON within JSON
	}
	whole = append(whole, strings.ReplaceAll(value, "'", `'\''`), html.EscapeString(value), escapeXML(value))
	for _, e := range []string{url.QueryEscape(value), url.PathEscape(value), strings.ReplaceAll(url.QueryEscape(value), "+", "%20")} {
		whole = append(whole, e, lowerEscapes(e))
	}
	whole = append(whole, base64Forms(value)...)
	var list []string
	for _, form := range whole {
		for _, p := range splitForm(form) {
			if !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
	}
	return list
}

// longestPiece is the longest text that is searched for as one, and so bounds how much a Writer holds
// back of a value.
const longestPiece = 512

// splitForm cuts a long form into pieces that overlap by a byte, so that they are rendered as one secret
// when they follow each other.
func splitForm(form string) []string {
	if len(form) <= longestPiece {
		return []string{form}
	}
	var list []string
	for at := 0; at+longestPiece < len(form); at += longestPiece - 1 {
		list = append(list, form[at:at+longestPiece])
	}
	return append(list, form[len(form)-longestPiece:])
}

// escapeJSON returns the inside of a value's JSON string. With forHTML it escapes HTML's special
// characters, as some encoders do.
func escapeJSON(value string, forHTML bool) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(forHTML)
	if err := enc.Encode(value); err != nil {
		return value
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(b.String(), "\n"), `"`), `"`)
}

// escapeNonASCII escapes the characters beyond ASCII in JSON, as some encoders do.
func escapeNonASCII(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < 0x80 {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// escapeXML returns a value as it stands in XML.
func escapeXML(value string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;").Replace(value)
}

// lowerEscapes returns a URL's text with its escapes in lower case.
func lowerEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], bytes.ToLower(b[i+1:i+3]))
		}
	}
	return string(b)
}

// base64Forms returns the base64 of a value at each of the three offsets that it can have in an encoded
// text: the characters that depend on the value alone.
func base64Forms(value string) []string {
	var list []string
	for before := range 3 {
		padded := append(make([]byte, before), value...)
		first := (before*8 + 5) / 6
		last := len(padded) * 8 / 6
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			list = append(list, enc.EncodeToString(padded)[first:last])
		}
	}
	return list
}
