package config

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// resolveShape returns what a plain scalar is, by YAML 1.2.
func resolveShape(s string) shape {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return isNull
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return isBool
	}
	digits := strings.TrimLeft(s, "+-")
	if len(s)-len(digits) > 1 || digits == "" {
		return isString
	}
	return numberShape(strings.ToLower(digits))
}

func numberShape(s string) shape {
	if s == ".inf" || s == ".nan" {
		return isOddNumber
	}
	for prefix, digits := range map[string]string{"0x": "0123456789abcdef_", "0o": "01234567_", "0b": "01_"} {
		if rest, ok := strings.CutPrefix(s, prefix); ok && rest != "" && strings.Trim(rest, digits) == "" {
			return isOddNumber
		}
	}
	if strings.Trim(s, "0123456789_") == "" && isDigit(s[0]) {
		if strings.Contains(s, "_") || len(s) > 1 && s[0] == '0' {
			return isOddNumber
		}
		return isInt
	}
	if strings.Trim(s, "0123456789.e+-") != "" || !isDigit(s[0]) && s[0] != '.' {
		return isString
	}
	if _, err := strconv.ParseFloat(s, 64); err != nil && !errors.Is(err, strconv.ErrRange) {
		return isString
	}
	return isFloat
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// parseInt reads a decimal whole number and nothing else.
func parseInt(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err == nil {
		return n, nil
	}
	return 0, fmt.Errorf("%s is too large a number", s)
}

func parseFloat(s string) (float64, error) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return 0, fmt.Errorf("%s is too large a number", s)
	}
	return f, nil
}

// parseDuration reads a Go duration (90s, 1h30m) or whole seconds.
func parseDuration(s string, whole bool) (time.Duration, error) {
	if strings.HasPrefix(s, "-") {
		return 0, fmt.Errorf("%s is less than no time at all", s)
	}
	if whole {
		n, err := parseInt(s)
		if err != nil || n > int64(math.MaxInt64/time.Second) {
			return 0, fmt.Errorf("%s seconds is too long a time", s)
		}
		return time.Duration(n) * time.Second, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration: write one such as 90s, 10m or 1h30m, or whole seconds", s)
	}
	return d, nil
}
