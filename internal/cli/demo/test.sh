#!/bin/sh
# The tests. They say what they want, what they got, and where.
. ./slug.sh
failed=0

check() { # LINE WHAT TITLE WANT
	got=$(slug "$3")
	if [ "$got" = "$4" ]; then
		echo "ok    $2"
	else
		echo "FAIL  test.sh:$1: $2: slug \"$3\" is \"$got\", want \"$4\""
		failed=$((failed + 1))
	fi
}

check 16 "lower case"            "Hello"           "hello"
check 17 "a dash for a space"    "Hello World"     "hello-world"
check 18 "one dash for a gap"    "Hello,   World"  "hello-world"
check 19 "no dash at the ends"   "  Hello World!"  "hello-world"

if [ "$failed" -gt 0 ]; then
	echo "$failed of 4 tests failed"
	exit 1
fi
echo "4 tests passed"
