package web

import (
	"math"
	"regexp"
	"strconv"
	"testing"
)

// colours returns the tokens of the style, each for light and dark.
func colours(t *testing.T) map[string][2]string {
	t.Helper()
	css, err := readAsset("app.css")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][2]string{}
	for _, m := range regexp.MustCompile(`(?m)^  --([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);`).FindAllSubmatch(css, -1) {
		found[string(m[1])] = [2]string{string(m[2]), string(m[3])}
	}
	return found
}

// luminance is the relative luminance of WCAG 2.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func TestContrast(t *testing.T) {
	all := colours(t)
	inks := []string{"ink", "muted", "accent", "verified", "accepted", "failed", "waiting", "limit", "running"}
	for _, paper := range []string{"paper", "raised"} {
		for _, ink := range inks {
			for i, name := range []string{"light", "dark"} {
				if all[ink][i] == "" || all[paper][i] == "" {
					t.Fatalf("the style has no %s on %s: %v", ink, paper, all)
				}
				if got := contrast(t, all[ink][i], all[paper][i]); got < 4.5 {
					t.Errorf("%s: %s on %s has %.2f", name, ink, paper, got)
				}
			}
		}
	}
	for i, name := range []string{"light", "dark"} {
		if got := contrast(t, all["on-accent"][i], all["accent"][i]); got < 4.5 {
			t.Errorf("%s: a button has %.2f", name, got)
		}
	}
}

func TestContrastOfBlackAndWhite(t *testing.T) {
	if got := contrast(t, "#000000", "#ffffff"); math.Abs(got-21) > 0.01 {
		t.Errorf("it is %.2f", got)
	}
}
