package config

// The fields whose features are not built yet. They have their types and ranges
// already, so that turning one on is taking NotYet out of one line.

func notifyField() Field {
	return Field{Name: "notify", Doc: "who is told when a session ends or waits", NotYet: true, Type: Obj(
		Field{Name: "webhook", Doc: "address that is sent the outcome", Trust: needsTrustUnless(""), Type: NamedString("an address")},
		Field{Name: "bell", Doc: "ring the terminal's bell", Default: "false", Type: Flag()},
	)}
}
