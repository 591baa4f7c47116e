package models

import "encoding/json"

// scalar reads a number, true, false, null, or one of Python's NaN, Infinity
// and -Infinity.
func (p *jsonParser) scalar(v *jsonValue) error {
	start := p.at
	end := start
	for end < len(p.text) && wordByte(p.text[end]) {
		end++
	}
	word := p.text[start:end]
	switch string(word) {
	case "null":
		v.kind = jsonNull
	case "true", "false":
		v.kind, v.yes = jsonBool, len(word) == len("true")
	case "NaN", "Infinity", "-Infinity":
		v.kind, v.text = jsonNumber, string(word)
	default:
		if len(word) == 0 || !validNumber(word) {
			return p.unexpected("a value")
		}
		v.kind, v.text = jsonNumber, string(word)
	}
	p.at = end
	return nil
}

func wordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '+' || c == '.'
}

// validNumber reports a number in JSON's grammar.
func validNumber(word []byte) bool {
	var f json.Number
	return word[0] != '"' && json.Unmarshal(word, &f) == nil
}
