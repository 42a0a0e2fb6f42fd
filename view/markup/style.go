package markup

import _ "embed"

// Style has the rules of the classes that this package writes, for light and dark. Their colours are custom
// properties with a default each, so that a page can set its own.
//
//go:embed style.css
var Style string
