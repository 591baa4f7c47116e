package solver

// side is an interval of positions of one column.
type side struct{ lo, hi int }

// refusedBoxes is a list of boxes that hold no allowed point and together
// every refused cell that is not covered yet. Each is grown from one cell,
// column by column, as far as it stays without an allowed point.
func (r *relation) refusedBoxes(covered []bool) [][]side {
	counts := r.prefixCounts()
	var boxes [][]side
	at := make([]int, len(r.cols))
	for c, ok := range r.allowed {
		if !ok && !covered[c] {
			box := counts.grow(at)
			boxes = append(boxes, box)
			r.mark(covered, box)
		}
		r.next(at)
	}
	return boxes
}

// mark sets the box's cells.
func (r *relation) mark(covered []bool, box []side) {
	at := make([]int, len(box))
	for i, b := range box {
		at[i] = b.lo
	}
	for {
		covered[r.cell(at)] = true
		i := len(at) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] <= box[i].hi {
				break
			}
			at[i] = box[i].lo
		}
		if i < 0 {
			return
		}
	}
}

// prefix holds, for each corner, the number of allowed cells below it in every
// column: a box's count takes 2^columns reads.
type prefix struct {
	sizes []int // of the columns
	sum   []int32
}

func (r *relation) prefixCounts() *prefix {
	p := &prefix{}
	total := 1
	for _, d := range r.cols {
		p.sizes = append(p.sizes, len(d.values))
		total *= len(d.values) + 1
	}
	p.sum = make([]int32, total)
	at := make([]int, len(r.cols))
	for c := range r.allowed {
		if r.allowed[c] {
			p.sum[p.corner(at, 1)] = 1
		}
		r.next(at)
	}
	stride := 1
	for i := len(p.sizes) - 1; i >= 0; i-- {
		width := stride * (p.sizes[i] + 1)
		for start := 0; start < total; start += width {
			for j := start + stride; j < start+width; j++ {
				p.sum[j] += p.sum[j-stride]
			}
		}
		stride = width
	}
	return p
}

// corner is the index of the corner at the positions plus shift.
func (p *prefix) corner(at []int, shift int) int {
	c := 0
	for i, k := range at {
		c = c*(p.sizes[i]+1) + k + shift
	}
	return c
}

// count is the number of allowed cells in the box.
func (p *prefix) count(box []side) int32 {
	n := int32(0)
	for mask := range 1 << len(box) {
		c, sign := 0, int32(1)
		for i, b := range box {
			k := b.hi + 1
			if mask>>i&1 == 1 {
				k, sign = b.lo, -sign
			}
			c = c*(p.sizes[i]+1) + k
		}
		n += sign * p.sum[c]
	}
	return n
}

// grow is the box around the cell.
func (p *prefix) grow(at []int) []side {
	box := make([]side, len(at))
	for i, k := range at {
		box[i] = side{k, k}
	}
	for i := range box {
		for box[i].hi+1 < p.sizes[i] {
			if box[i].hi++; p.count(box) > 0 {
				box[i].hi--
				break
			}
		}
		for box[i].lo > 0 {
			if box[i].lo--; p.count(box) > 0 {
				box[i].lo++
				break
			}
		}
	}
	return box
}
