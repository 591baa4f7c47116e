package solver

import "slices"

// probe bounds every value left to the integer and returns the children that
// the visitor keeps, in its order; none when the node turns out inconsistent.
func (w *walker[B]) probe(depth int, d *domain) ([]child[B], error) {
	kids := w.pools[depth][:0]
	w.tries[depth] = w.screen(w.tries[depth][:0], d)
	for _, k := range w.tries[depth] {
		choice := w.s.eq(d, int(k))
		if w.node.eng.value(choice.Not()) {
			continue
		}
		if err := w.ctx.Err(); err != nil {
			return nil, err
		}
		if w.open(choice) {
			w.arrive(depth + 1)
			w.s.stats.Nodes++
			if bound, keep := w.v.Bound(&w.node); keep {
				kids = insert(kids, child[B]{choice, bound}, w.v.Less)
			}
		}
		if !w.back(depth) || !w.renew(depth) {
			return nil, nil
		}
	}
	w.pools[depth] = kids
	return kids, nil
}

// screen lists the positions of the values to try.
func (w *walker[B]) screen(list []int32, d *domain) []int32 {
	list = slices.AppendSeq(list, w.node.left(d))
	if w.screener == nil {
		return list
	}
	w.screener.Parent(&w.node)
	kept := list[:0]
	w.halve(d, list, &kept)
	return kept
}

// few is the number of values that are screened one by one.
const few = 3

// halve adds to kept those values of the list that pass the screen, which is
// asked for halves of a long list first.
func (w *walker[B]) halve(d *domain, list []int32, kept *[]int32) {
	if len(list) <= few {
		for _, k := range list {
			if w.screener.Screen(Int{d}, d.values[k], d.values[k]) {
				*kept = append(*kept, k)
			}
		}
		return
	}
	mid := len(list) / 2
	for _, half := range [2][]int32{list[:mid], list[mid:]} {
		if w.screener.Screen(Int{d}, d.values[half[0]], d.values[half[len(half)-1]]) {
			w.halve(d, half, kept)
		}
	}
}

// insert keeps the children sorted; equals stay in order of arrival.
func insert[B any](kids []child[B], c child[B], less func(a, b B) bool) []child[B] {
	kids = append(kids, c)
	for i := len(kids) - 1; i > 0 && less(c.bound, kids[i-1].bound); i-- {
		kids[i], kids[i-1] = kids[i-1], c
	}
	return kids
}
