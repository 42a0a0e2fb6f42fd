package journal

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"mulligan"
)

// fillFields sets every field of a struct to a value of its own.
func fillFields(t *testing.T, v reflect.Value, n *int) {
	for i := range v.NumField() {
		*n++
		switch f := v.Field(i); f.Interface().(type) {
		case time.Time:
			f.Set(reflect.ValueOf(time.Date(2026, 11, *n%28+1, 5, 4, 46, 171456911, time.UTC)))
		default:
			switch f.Kind() {
			case reflect.String:
				f.SetString("a plain ~ wörd <" + strings.Repeat("&", *n) + ">")
			case reflect.Int, reflect.Int64:
				f.SetInt(int64(*n) - 5)
			case reflect.Uint64:
				f.SetUint(1<<63 + uint64(*n))
			case reflect.Bool:
				f.SetBool(true)
			case reflect.Struct:
				fillFields(t, f, n)
			default:
				t.Fatalf("%s is a %s: the fast decoder has to read it, and this test to fill it in", v.Type().Field(i).Name, f.Kind())
			}
		}
	}
}

// TestFastDecoderReadsEveryField fails where a field was added that the fast decoder does not know: every
// list would take ten times as long.
func TestFastDecoderReadsEveryField(t *testing.T) {
	var full Sealed
	n := 0
	fillFields(t, reflect.ValueOf(&full).Elem(), &n)
	for _, want := range []Sealed{full, {Summary: mulligan.Summary{ID: "20261118-050446-0000"}}} {
		line, err := marshalReadable(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Sealed
		p := fieldReader{rest: string(line), ok: true}
		if !p.readSealed(&got) || p.rest != "" {
			t.Errorf("gave up at %.80q of\n%s", p.rest, line)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
}

// FuzzDecodeSealed compares the fast decoder with the general one: it returns the same, or gives up.
func FuzzDecodeSealed(f *testing.F) {
	var full Sealed
	n := 0
	fillFields(&testing.T{}, reflect.ValueOf(&full).Elem(), &n)
	line, err := marshalReadable(full)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(line))
	for _, line := range []string{
		`{}`, `{"events":1}`, `{"events":01}`, `{"events":-0}`, `{"events":1.0}`, `{"events":1e2}`, `{"events":99999999999999999999}`, `{"events":-9223372036854775808}`,
		`{"events":1,"events":2}`, `{"Events":1}`, `{"other":1}`, `{"events":null}`, `{"events":1}x`, ` {"events":1}`, `{"events": 1}`, `{"events":1,}`,
		`{"sha256":"a\"b"}`, "{\"sha256\":\"a\xffb\"}", "{\"sha256\":\"a\x01b\"}", `{"sha256":"\u00e4"}`, "{\"sha256\":\"\u2028\"}", `{"sha256":"open`,
		`{"summary":{"id":"a","asks":true,"stays":false},"summary":{"id":"b"}}`, `{"summary":{"asks":1}}`, `{"summary":null}`, `{"summary":{"asks":truefalse}}`,
		`{"summary":{"started":"2026-11-18T05:04:46+02:00"}}`, `{"summary":{"started":"2026-11-18T5:04:46Z"}}`, `{"summary":{"started":""}}`, `{"source":{"stream":-1}}`, `{"summary":{}`,
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var want Sealed
		wantErr := json.Unmarshal([]byte(line), &want)
		got, err := decodeSealed(line)
		if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("sealed %q:\ngot  %+v, %v\nwant %+v, %v", line, got, err, want, wantErr)
		}
		var wantSum mulligan.Summary
		wantErr = json.Unmarshal([]byte(line), &wantSum)
		sum, err := DecodeSummary(line)
		if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(sum, wantSum) {
			t.Errorf("summary %q:\ngot  %+v, %v\nwant %+v, %v", line, sum, err, wantSum, wantErr)
		}
	})
}
