package aider

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"mulligan"
)

// maxLine is how much of a line is kept: a line with figures is shorter.
const maxLine = 512

// A usageReader adds up the figures that the program prints after each answer of its model:
//
//	Tokens: 12k sent, 8.1k cache hit, 512 received. Cost: $0.0031 message, $0.01 session.
//
// The program rounds tokens above a thousand. The cost is left out for a model whose prices it does not know,
// and stands in a line of its own where both kinds of cached tokens do.
type usageReader struct {
	line  []byte
	total mulligan.Usage
}

// Write never fails.
func (u *usageReader) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		piece := rest
		if end >= 0 {
			piece = rest[:end]
		}
		u.line = append(u.line, piece[:min(len(piece), maxLine-len(u.line))]...)
		if end < 0 {
			break
		}
		u.addLine(string(u.line))
		u.line, rest = u.line[:0], rest[end+1:]
	}
	return len(p), nil
}

// finish returns the sum.
func (u *usageReader) finish() mulligan.Usage {
	u.addLine(string(u.line))
	u.line = nil
	return u.total
}

// The shapes are compiled with the first line, since most processes read none.
var (
	tokensShape = lazily(`^Tokens: ([\d.,]+[kM]?) sent(?:, [\d.,]+[kM]? cache write)?(?:, ([\d.,]+[kM]?) cache hit)?, ([\d.,]+[kM]?) received\.`)
	costShape   = lazily(`(?:^|\. )Cost: \$([\d.]+) message, \$([\d.]+) session\.$`)
)

func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

func (u *usageReader) addLine(line string) {
	line = strings.TrimSpace(line)
	if m := tokensShape().FindStringSubmatch(line); m != nil {
		sent, hit, received := parseCount(m[1]), parseCount(m[2]), parseCount(m[3])
		u.total.InputTokens += sent // cached ones are among them
		u.total.CachedTokens += min(hit, sent)
		u.total.OutputTokens += received
		u.total.Turns++
	}
	if m := costShape().FindStringSubmatch(line); m != nil {
		if cost, err := strconv.ParseFloat(m[1], 64); err == nil {
			u.total.CostUSD += cost
		}
	}
}

// parseCount returns a number as the program prints it: 512, 8.1k, 12k. It returns 0 for "".
func parseCount(s string) int64 {
	factor := 1.0
	if number, ok := strings.CutSuffix(s, "k"); ok {
		s, factor = number, 1e3
	} else if number, ok := strings.CutSuffix(s, "M"); ok {
		s, factor = number, 1e6
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
	if err != nil || n > 1e9 {
		return 0
	}
	return int64(math.Round(n * factor))
}
