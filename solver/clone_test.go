package solver

import (
	"context"
	"sync"
	"testing"
)

func TestClonesWorkInParallel(t *testing.T) {
	s, order := grid(3, 4, 8)
	on := all(s)
	var wg sync.WaitGroup
	leaves := make([]int, 4)
	for i := range leaves {
		c := s.Clone()
		wg.Go(func() {
			c.Clause(Hard, c.Ge(c.Int("own", upto(0, int32(i+1))), 1))
			visitor := &tourist{xs: order}
			if err := Walk(context.Background(), c, on, nil, order, visitor); err != nil {
				t.Error(err)
			}
			leaves[i] = visitor.leaves
		})
	}
	visitor := &tourist{xs: order}
	if err := Walk(context.Background(), s, on, nil, order, visitor); err != nil {
		t.Error(err)
	}
	wg.Wait()
	for i, n := range leaves {
		if n != visitor.leaves || n == 0 {
			t.Errorf("clone %d visited %d leaves, the original %d", i, n, visitor.leaves)
		}
	}
}
