package solver

import (
	"context"
	"errors"
	"slices"
)

// ErrSatisfiable is returned where a core is asked of groups that can hold
// together.
var ErrSatisfiable = errors.New("solver: the groups can hold together")

// ErrUnknown is returned where the budget ended before an answer.
var ErrUnknown = errors.New("solver: the budget ended before an answer")

// Core is a subset of the groups that cannot hold together and of which every
// proper subset can, in the order in which the groups were made. It is empty
// when the hard clauses alone are unsatisfiable. Of several cores it is the one
// left when groups are given up in that order, whatever was asked before.
//
// On ErrUnknown or the context's error the groups returned are unsatisfiable
// but perhaps not minimal; nil means that nothing is known.
func (s *Session) Core(ctx context.Context, b Budget, on ...Group) ([]Group, error) {
	s.mustRest("Core")
	meter := b.start()
	unsat := func(groups []Group) (bool, error) {
		lits, _ := s.assumptions(nil, groups)
		status, err := s.decide(ctx, meter, lits)
		if status == Unknown && err == nil {
			err = ErrUnknown
		}
		return status == Unsat, err
	}
	groups := ordered(on)
	ok, err := unsat(groups)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, ErrSatisfiable
	}
	return shrink(groups, unsat)
}

// Minimise is Core with the question left to the caller: unsat says whether a
// set of groups cannot hold together, lazily with nogoods if need be. It must
// be monotone: adding groups never makes a set satisfiable. An error of unsat
// is returned with the smallest refuted set known, nil if none is.
func Minimise(groups []Group, unsat func([]Group) (bool, error)) ([]Group, error) {
	all := ordered(groups)
	ok, err := unsat(all)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, ErrSatisfiable
	}
	return shrink(all, unsat)
}

// shrink drops each group without which the rest is still unsatisfiable.
func shrink(core []Group, unsat func([]Group) (bool, error)) ([]Group, error) {
	for i := 0; i < len(core); {
		rest := slices.Delete(slices.Clone(core), i, i+1)
		ok, err := unsat(rest)
		if err != nil {
			return core, err
		}
		if ok {
			core = rest
		} else {
			i++
		}
	}
	return core, nil
}

// ordered is the groups without repeats and without Hard, as they were made.
func ordered(groups []Group) []Group {
	out := slices.Clone(groups)
	slices.SortFunc(out, byCreation)
	out = slices.Compact(out)
	if len(out) > 0 && out[0] == Hard {
		out = out[1:]
	}
	if out == nil {
		out = []Group{}
	}
	return out
}
