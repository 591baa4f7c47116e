package cluster

import (
	"fmt"
	"strconv"
	"strings"

	"meshplan/strict"
)

// maxNodes is the most nodes that a list may name.
const maxNodes = 250_000

// named is a name and where it stands in the text that names it.
type named struct {
	name string
	at   int // byte
}

// textError is an error at a byte of a text.
type textError struct {
	at   int
	text string
}

func (e *textError) Error() string { return fmt.Sprintf("column %d: %s", e.at+1, e.text) }

func badText(at int, format string, args ...any) *textError {
	return &textError{at, fmt.Sprintf(format, args...)}
}

// Hosts expands a hostlist as Slurm writes it: names separated by commas, with
// numbers in brackets that stand for one name each, "gpu[001-003,7],login" or
// "rack[1-2]n[01-16]". The first of a range gives the number of digits. Errors
// begin with the column.
func Hosts(list string) ([]string, error) {
	found, err := hosts(list, 0)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(found))
	for i := range found {
		names[i] = found[i].name
	}
	return names, nil
}

// hosts expands a hostlist that starts at a byte of some text.
func hosts(list string, from int) ([]named, error) {
	var all []named
	for start := 0; start <= len(list); {
		end, err := elementEnd(list, start)
		if err != nil {
			return nil, shift(err, from)
		}
		names, err := expand(list[start:end], from+start, maxNodes-len(all))
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			all = append(all, named{n, from + start})
		}
		start = end + 1
	}
	return all, nil
}

func shift(err error, by int) error {
	if e, ok := err.(*textError); ok {
		return &textError{e.at + by, e.text}
	}
	return err
}

// elementEnd is where the element that starts at a byte ends: at a comma
// outside of brackets.
func elementEnd(list string, start int) (int, error) {
	open := -1
	for i := start; i < len(list); i++ {
		switch c := list[i]; {
		case c == '[' && open >= 0:
			return 0, badText(i, "a bracket inside brackets")
		case c == '[':
			open = i
		case c == ']' && open < 0:
			return 0, badText(i, "a closing bracket without an opening one")
		case c == ']':
			open = -1
		case c == ',' && open < 0:
			return i, nil
		}
	}
	if open >= 0 {
		return 0, badText(open, "the bracket is not closed")
	}
	return len(list), nil
}

// expand gives the names of one element, at most most of them.
func expand(element string, at, most int) ([]string, error) {
	if element == "" {
		return nil, badText(at, "a name is missing; want names such as gpu[001-016],gpu020")
	}
	names := []string{""}
	for rest := element; rest != ""; {
		plain, bracket, found := strings.Cut(rest, "[")
		if i := strings.IndexFunc(plain, func(r rune) bool { return !nameRune(r) }); i >= 0 {
			return nil, badText(at+i, "%q cannot be part of a name; want letters, digits, '.', '-' and '_'", firstRune(plain[i:]))
		}
		at += len(plain)
		suffixes := []string{plain}
		rest = ""
		if found {
			var inside string
			inside, rest, _ = strings.Cut(bracket, "]")
			numbers, err := bracketNumbers(inside, at+1, most/len(names))
			if err != nil {
				return nil, err
			}
			suffixes = nil
			for _, n := range numbers {
				suffixes = append(suffixes, plain+n)
			}
			at += len(inside) + 2
		}
		if len(names)*len(suffixes) > most {
			return nil, tooMany(at - 1)
		}
		names = joined(names, suffixes)
	}
	return names, nil
}

// joined appends each suffix to each name, the suffixes varying fastest.
func joined(names, suffixes []string) []string {
	all := make([]string, 0, len(names)*len(suffixes))
	for _, n := range names {
		for _, s := range suffixes {
			all = append(all, n+s)
		}
	}
	return all
}

func tooMany(at int) error { return badText(at, "more than %d nodes", maxNodes) }

// bracketNumbers are the numbers of "001-016,20", each with its digits.
func bracketNumbers(inside string, at, most int) ([]string, error) {
	var numbers []string
	for part := range strings.SplitSeq(inside, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		lo, ok := hostNumber(first)
		hi, okHi := hostNumber(last)
		switch {
		case !ok || !okHi:
			return nil, badText(at, "%q in brackets: want a number or a range, such as 7 or 001-016", strict.Clip(part, 30))
		case hi < lo:
			return nil, badText(at, "the range %s ends before it starts; want %s-%s", strict.Clip(part, 30), last, first)
		case hi-lo >= most-len(numbers):
			return nil, tooMany(at)
		}
		for n := lo; n <= hi; n++ {
			numbers = append(numbers, fmt.Sprintf("%0*d", len(first), n))
		}
		at += len(part) + 1
	}
	return numbers, nil
}

// hostNumber reads the digits of a host's number.
func hostNumber(digits string) (int, bool) {
	if digits == "" || len(digits) > 9 || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil
}

func nameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' || r == '_'
}

func firstRune(s string) string {
	for _, r := range s {
		return string(r)
	}
	return ""
}

// FoldHosts is the hostlist of names in their order: neighbours that differ in
// their last number only are folded, "gpu[001-003,007]". Hosts gives the names
// again.
func FoldHosts(names []string) string {
	var list []string
	for i := 0; i < len(names); {
		prefix, digits := lastNumber(names[i])
		end, numbers := i+1, []string{digits}
		for end < len(names) && digits != "" {
			p, d := lastNumber(names[end])
			if p != prefix || d == "" {
				break
			}
			numbers = append(numbers, d)
			end++
		}
		if end == i+1 {
			list = append(list, names[i])
		} else {
			list = append(list, prefix+"["+foldNumbers(numbers)+"]")
		}
		i = end
	}
	return strings.Join(list, ",")
}

// lastNumber cuts a name before the digits at its end, at most nine.
func lastNumber(name string) (prefix, digits string) {
	prefix = strings.TrimRight(name, "0123456789")
	prefix = name[:max(len(prefix), len(name)-9)]
	return prefix, name[len(prefix):]
}

// foldNumbers joins runs of numbers of equal width into ranges.
func foldNumbers(numbers []string) string {
	var parts []string
	for i := 0; i < len(numbers); {
		end := i + 1
		for end < len(numbers) && len(numbers[end]) >= len(numbers[i]) && follows(numbers[end-1], numbers[end], len(numbers[i])) {
			end++
		}
		part := numbers[i]
		if end > i+1 {
			part += "-" + numbers[end-1]
		}
		parts = append(parts, part)
		i = end
	}
	return strings.Join(parts, ",")
}

// follows reports whether b is a plus one, written with that many digits at
// least.
func follows(a, b string, width int) bool {
	n, _ := strconv.Atoi(a)
	return fmt.Sprintf("%0*d", width, n+1) == b
}
