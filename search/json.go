package search

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// WriteJSON writes the result as indented JSON with a final newline. The same
// result always gives the same bytes. It fails on figures that JSON cannot
// hold (infinite or not a number) rather than write them.
func (r *Result) WriteJSON(w io.Writer) error { return writeJSON(w, r) }

// WriteJSON writes the explanation like Result.WriteJSON. The figures of a plan that
// cannot be priced are null.
func (e *Explanation) WriteJSON(w io.Writer) error {
	if e.Unpriced != "" {
		return writeJSON(w, &unpriced{Explanation: e})
	}
	return writeJSON(w, e)
}

// unpriced is an explanation whose figures are null: its fields, which stay nil, stand
// before those of the explanation of the same name.
type unpriced struct {
	*Explanation
	StepSeconds           *float64     `json:"step_seconds"`
	TokensPerSecondPerGPU *float64     `json:"tokens_per_second_per_gpu"`
	MFU                   *float64     `json:"mfu"`
	HFU                   *float64     `json:"hfu"`
	Memory                *Memory      `json:"memory"`
	Time                  *TimeTerm    `json:"time"`
	Traffic               []TrafficRow `json:"traffic"`
}

// WriteJSON writes the front like Result.WriteJSON.
func (f *Front) WriteJSON(w io.Writer) error { return writeJSON(w, f) }

// WriteJSON writes the answer like Result.WriteJSON.
func (r *WhyResult) WriteJSON(w io.Writer) error { return writeJSON(w, r) }

// ReadJSON reads a result that WriteJSON wrote. Unknown fields, another format
// version and anything behind the result are errors.
func ReadJSON(r io.Reader) (*Result, error) {
	var res Result
	if err := readJSON(r, &res); err != nil {
		return nil, fmt.Errorf("reading a plan result: %w", err)
	}
	if res.FormatVersion != FormatVersion {
		return nil, fmt.Errorf("reading a plan result: format_version %d, want %d", res.FormatVersion, FormatVersion)
	}
	return &res, nil
}

// ReadExplanation reads an explanation that WriteJSON wrote, as strictly as
// ReadJSON.
func ReadExplanation(r io.Reader) (*Explanation, error) {
	var e Explanation
	if err := readJSON(r, &e); err != nil {
		return nil, fmt.Errorf("reading an explanation: %w", err)
	}
	if e.FormatVersion != FormatVersion {
		return nil, fmt.Errorf("reading an explanation: format_version %d, want %d", e.FormatVersion, FormatVersion)
	}
	return &e, nil
}

// ReadFront reads a front that WriteJSON wrote, as strictly as ReadJSON.
func ReadFront(r io.Reader) (*Front, error) {
	var f Front
	if err := readJSON(r, &f); err != nil {
		return nil, fmt.Errorf("reading a front: %w", err)
	}
	if f.FormatVersion != FormatVersion {
		return nil, fmt.Errorf("reading a front: format_version %d, want %d", f.FormatVersion, FormatVersion)
	}
	return &f, nil
}

func writeJSON(w io.Writer, v any) error {
	var text bytes.Buffer // nothing is written when a figure cannot be
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	_, err := w.Write(text.Bytes())
	return err
}

func readJSON(r io.Reader, v any) error {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("unexpected text after the JSON value")
	}
	return nil
}
