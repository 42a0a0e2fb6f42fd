package client

import (
	"os"
	"os/signal"
	"sync/atomic"
)

// interrupts are those that this process hears for the session's: ctrl-c is a signal as long as there
// is no screen that takes the key.
type interrupts struct {
	signals chan os.Signal
	heard   atomic.Bool // one was passed on
}

// hearInterrupts begins to catch interrupts. They are kept until passOn.
func hearInterrupts() *interrupts {
	i := &interrupts{signals: make(chan os.Signal, 2)}
	signal.Notify(i.signals, os.Interrupt)
	return i
}

// passOn sends them to the session's process, those too that came before it was there.
func (i *interrupts) passOn(pid int) {
	go func() {
		for sig := range i.signals {
			i.heard.Store(true)
			if p, err := os.FindProcess(pid); err == nil {
				p.Signal(sig) // one that has ended needs none
			}
		}
	}()
}

// stop ends the catching of interrupts, and passOn with it.
func (i *interrupts) stop() {
	signal.Stop(i.signals) // after which none is sent to the channel
	close(i.signals)
}
