package measured

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"meshplan/strict"
)

// maxFile bounds a table: a million rows of forty columns.
const maxFile = 512 << 20

// table is a CSV file, read whole.
type table struct {
	name    string
	names   []string // of the columns, in order
	columns map[string]int
	rows    [][]string
	lines   []int // of each row's first character
}

func (t *table) has(column string) bool {
	_, ok := t.columns[column]
	return ok
}

// cell is a cell without blanks around it; "" where there is no such column.
func (t *table) cell(row int, column string) string {
	at, ok := t.columns[column]
	if !ok {
		return ""
	}
	return strings.TrimSpace(t.rows[row][at])
}

// base is the table's name without folders and extension.
func (t *table) base() string {
	name := filepath.Base(t.name)
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// readTable reads a CSV file of the usual kind: a header, commas, quotes where
// needed, any line ends, with or without a byte-order mark. Errors give the
// line.
func readTable(name string, text []byte) (*table, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) || bytes.IndexByte(text, 0) >= 0 {
		return nil, fmt.Errorf("%s: not text in UTF-8: save the table as CSV in UTF-8", name)
	}
	if bytes.IndexByte(text, '\n') < 0 {
		text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n")) // line ends of old table programs
	}
	t := &table{name: name, columns: map[string]int{}}
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord = -1
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, parseError(name, err)
		}
		line, _ := r.FieldPos(0)
		if err := t.add(record, line); err != nil {
			return nil, err
		}
	}
	if t.names == nil {
		return nil, fmt.Errorf("%s: is empty: want a header and a row for each run", name)
	}
	return t, nil
}

// parseError words an error of the CSV reader.
func parseError(name string, err error) error {
	if p, ok := errors.AsType[*csv.ParseError](err); ok {
		return fmt.Errorf("%s:%d:%d: not CSV: %w", name, p.Line, p.Column, p.Err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// add takes a record: the header first, then rows.
func (t *table) add(record []string, line int) error {
	if t.names == nil {
		return t.header(record)
	}
	if len(record) != len(t.names) {
		return fmt.Errorf("%s:%d: %d cells in the row, %d columns in the header", t.name, line, len(record), len(t.names))
	}
	t.rows, t.lines = append(t.rows, record), append(t.lines, line)
	return nil
}

func (t *table) header(record []string) error {
	if len(record) == 1 && strings.ContainsAny(record[0], ";\t") {
		return fmt.Errorf("%s:1: the columns are separated by semicolons or tabs: want commas", t.name)
	}
	t.names = make([]string, len(record))
	for i, cell := range record {
		column := strings.ToLower(strings.TrimSpace(cell))
		if !utf8.ValidString(column) {
			return fmt.Errorf("%s:1: column %d has a name that is not UTF-8", t.name, i+1)
		}
		t.names[i] = column
		if column == "" {
			continue
		}
		if first, twice := t.columns[column]; twice {
			return fmt.Errorf("%s:1: columns %d and %d are both called %s", t.name, first+1, i+1, strict.Clip(column, 60))
		}
		t.columns[column] = i
	}
	return nil
}
