package measured

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// refit predicts every row by constants that were fitted, with the bounds and
// priors of its profile, to the other rows of the table: those of other sweeps,
// or where a row has none of other models, GPUs and precisions.
func refit(ctx context.Context, rows []scored, list families) error {
	at := map[int][]int{}
	for i := range rows {
		if s := &rows[i]; s.skip == nil {
			f := s.prediction.job.of.member.file
			at[f] = append(at[f], i)
		}
	}
	for f := range list {
		l := &learner{list: list, at: f}
		for _, i := range at[f] {
			rows[i].order = i
			l.rows = append(l.rows, rows[i])
		}
		if l.begin(); len(l.rows) == 0 || len(l.free) == 0 {
			continue
		}
		full, err := l.learn(ctx, "")
		if err != nil {
			return err
		}
		held, err := l.held(ctx, full)
		if err != nil {
			return err
		}
		for i := range held {
			rows[held[i].order] = held[i]
		}
	}
	return nil
}

// eachOf calls do for 0 to n-1 on as many goroutines as there are cores, and
// returns the first error.
func eachOf(ctx context.Context, n int, do func(i int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		g.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return do(i)
		})
	}
	return g.Wait()
}
