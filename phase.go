package mulligan

// Phase is what a session does next. The loop is a function of the state, and the state is a
// fold of the journal: that is why a killed session resumes where it was.
type Phase string

const (
	Starting  Phase = "starting"  // session_start hooks, then as Choosing
	Choosing  Phase = "choosing"  // which step comes next, or the end
	Preparing Phase = "preparing" // the next attempt
	Opening   Phase = "opening"   // pre_iteration hooks, then the prompt
	Working   Phase = "working"   // a turn is to be taken, or was in flight
	Stopping  Phase = "stopping"  // Stop hooks, then as the turn's purpose wants
	Examining Phase = "examining" // the gates, from State.Examination on
	Closing   Phase = "closing"   // post_iteration hooks, then the attempt's end
	Erring    Phase = "erring"    // on_error hooks and a recovery, then the attempt's end
	Deciding  Phase = "deciding"  // the attempt did not pass: retry or give up
	Keeping   Phase = "keeping"   // the attempt passed: commit
)

// The phases of a session that ends, while State.Final is set. The final delivery shares Stopping
// and Examining with the attempts. No summary shows the others: it has the phase in which a
// resumed session continues.
const (
	Finishing  Phase = "finishing"  // what is pending is to be delivered
	Delivering Phase = "delivering" // the final delivery's turn is to be taken, or was in flight
	Abandoning Phase = "abandoning" // a killed process left the delivery half done: settle it, then resume
	Leaving    Phase = "leaving"    // session_end hooks, then the end
)
