package door

// Token returns the session's token, a secret that must not be shown or stored.
func (d *Door) Token() string { return d.token }
