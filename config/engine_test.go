package config

import (
	"bytes"
	"strings"
	"testing"
)

func TestEngine(t *testing.T) {
	for text, want := range map[string]string{
		"embedded":                     "",
		"nats://host:4222":             "",
		"nats://host":                  "",
		"tls://somebody:word@host:1":   "",
		"nats://a:4222,nats://b:4222":  "",
		"nats://a, tls://u:p@[::1]:42": "",
		"nats://":                      "needs a host",
		"nats://:4222":                 "needs a host",
		"nats://host:port":             "is not an address",
		"nats://host:99999":            "has a port that is none",
		"nats://a,b":                   "every address begins with",
		"nats://a,http://b":            "every address begins with",
		"nats://host/path":             "has more than a host",
		"nats://u:pass%word@host":      "is not an address",
		"natz://u:password@host":       "is not one of",
		"memory":                       "is not one of",
	} {
		c := testSchema().Load(Sources{Flags: []Setting{FlagSetting("engine", text, "engine")}})
		err := c.Err()
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", text, err, want)
		case err != nil && (strings.Contains(err.Error(), "password@") || strings.Contains(err.Error(), "pass%word")):
			t.Errorf("the password is in %q", err)
		case err == nil && c.Get("engine").String() != text:
			t.Errorf("%s became %s", text, c.Get("engine").String())
		}
	}
}

func TestEngineIsShownWithoutItsPassword(t *testing.T) {
	c := testSchema().Load(Sources{Flags: []Setting{FlagSetting("engine", "nats://me:password@a:1,nats://token@b:2", "engine")}})
	var out bytes.Buffer
	if err := Render(&out, c.Value); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Contains(text, "password") || strings.Contains(text, "token@") || !strings.Contains(text, "@a:1,nats://*****@b:2") {
		t.Errorf("%s", text)
	}
}
