package strict

import (
	"fmt"
	"strings"
	"unicode"
)

// Printable is the error of a name that holds a character which a terminal
// does not show as such: control and format characters, those that turn the
// direction of text among them, line breaks and blanks other than the space.
func Printable(name string) error {
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("holds the character %U, which cannot be printed", r)
		}
	}
	return nil
}

// Visible is the text with every character that Printable refuses written as
// its escape, such as \u202e, but line breaks and tabs as blanks.
func Visible(text string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "?") {
		switch {
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r == '\n' || r == '\r' || r == '\t':
			b.WriteByte(' ')
		default:
			quoted := fmt.Sprintf("%+q", r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}
