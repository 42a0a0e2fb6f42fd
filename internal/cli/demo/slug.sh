# slug TITLE prints the title as it stands in a web address.
slug() {
	printf '%s\n' "$1"
}
