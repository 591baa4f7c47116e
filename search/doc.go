// Package search finds the fastest plan of a job, proves that there is no
// faster one and says why each of its degrees is needed.
//
// A search is a bounded depth-first walk over degrees, options and placement.
// The session of package encode propagates the rules, package cost bounds
// every box and prices every plan; this package is the only place where the
// two meet:
//
//	p := &search.Problem{Facts: facts, Framework: fw, Profile: prof, Top: 3}
//	r, err := search.Best(ctx, p, search.Limits{Time: time.Minute})
//	fmt.Println(r.Status, r.Plans[0].Text)
package search
