//go:build !amd64

package bytescan

const hasVector = false

func findVector(*[2 * window][32]byte, *byte, int) int {
	panic("bytescan: this processor has no vectors")
}
