package view

// An Aside is something that a session has put aside for a person to decide about.
type Aside struct {
	What    string // "3 files of aside-1, which differ from 1a2b3c4"
	Command string // brings it back
}
