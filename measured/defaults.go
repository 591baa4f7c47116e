package measured

// defaults is the columns that were filled for one row.
type defaults struct{ filled [numSetup]bool }

// note marks the column as filled if the row leaves it open.
func (d *defaults) note(s *setup, columns ...setupColumn) {
	for _, c := range columns {
		if s[c] == "" {
			d.filled[c] = true
		}
	}
}
