package measured

// defaults is the columns that were filled for one row. Those that are assumed
// were raised from the default, which the memory model refuses.
type defaults struct{ filled, assumed [numSetup]bool }

// note marks the column as filled if the row leaves it open.
func (d *defaults) note(s *setup, columns ...setupColumn) {
	for _, c := range columns {
		if s[c] == "" {
			d.filled[c] = true
		}
	}
}
