package process

// The ways in which a child is confined.
const (
	Landlock = "landlock"
	Bwrap    = "bwrap"
)

// A Confinement tells what a child and its descendants may write. They read and execute what they could
// without it. Nothing takes it back: a process can only confine itself further.
type Confinement struct {
	Kind string // Landlock or Bwrap
	// Write are the folders, with all that is in them, and the files that may be written. They are
	// absolute and hold no symbolic link: a path that leads through one is left out, and so is a path
	// that does not exist.
	Write []string

	// Program is the path of bubblewrap, for Bwrap only.
	Program string
	// Hide are folders that the child sees empty, and Show what it sees of them all the same, to read
	// only; for Bwrap only. What Write names in them can be seen and written.
	Hide, Show []string
}

// minLandlock is the first version of Landlock that a child is confined with: before it, no file could be
// moved from one folder to another at all.
const minLandlock = 2

// LandlockCovers tells what a version of Landlock does.
type LandlockCovers struct {
	Confines  bool // children can be confined with it
	Truncates bool // it keeps a child from emptying files outside
	Signals   bool // it keeps a child from sending signals to processes outside
}

// DescribeLandlock returns what a version of Landlock does. 0 is a system without Landlock.
func DescribeLandlock(abi int) LandlockCovers {
	return LandlockCovers{Confines: abi >= minLandlock, Truncates: abi >= 3, Signals: abi >= 6}
}
