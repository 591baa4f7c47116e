package models

import (
	"bytes"
	"fmt"
)

// maxMarks bounds the dots, brackets and braces of a line or file. A model file
// is flat and has few; the time and memory that a TOML parser takes grow with
// the square of the depth they can spell.
const maxMarks = 64

// guardTOML refuses text that would nest deeply before it is parsed.
func guardTOML(file string, text []byte) error {
	opened := 0
	for i, line := range bytes.Split(text, []byte("\n")) {
		opened += bytes.Count(line, []byte("[")) + bytes.Count(line, []byte("{"))
		if opened > maxMarks || bytes.Count(line, []byte(".")) > maxMarks {
			return fmt.Errorf("%s:%d:1: more than %d dots, brackets or braces: a model file is flat, without tables", file, i+1, maxMarks)
		}
	}
	return nil
}
