package solver

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// oracles are SAT solvers that end with exit code 10 for satisfiable and 20
// for unsatisfiable.
var oracles = map[string][]string{"minisat": {"-verb=0"}, "cadical": {"-q", "-n"}}

func TestOtherSolversAgreeOnTheExport(t *testing.T) {
	for name, flags := range oracles {
		t.Run(name, func(t *testing.T) {
			path, err := exec.LookPath(name)
			if err != nil {
				t.Skipf("%s is not installed", name)
			}
			for seed := range uint64(40) {
				s, on := puzzle(seed)
				status, _, err := s.Solve(context.Background(), Budget{}, on...)
				if err != nil {
					t.Fatal(err)
				}
				if got := ask(t, path, flags, s, on); got != status {
					t.Errorf("seed %d: %s says %v, the session %v", seed, name, got, status)
				}
			}
		})
	}
}

// puzzle is a random problem of tables, sums and boxes, about half of them
// unsatisfiable; some are so by their hard clauses, one by an empty one.
func puzzle(seed uint64) (*Session, []Group) {
	rng := rand.New(rand.NewPCG(seed, 3))
	s := New()
	var xs []Int
	for range 6 {
		xs = append(xs, s.Int("x", upto(int32(rng.IntN(3)), 3+int32(rng.IntN(5)))))
	}
	var on []Group
	for range 2 + rng.IntN(5) {
		g := s.Group("rule")
		if rng.IntN(4) > 0 {
			on = append(on, g)
		}
		p := rng.Perm(len(xs))
		modulus, rest := int32(2+rng.IntN(4)), int32(rng.IntN(2))
		s.Allow(g, []Int{xs[p[0]], xs[p[1]], xs[p[2]]}, func(v []int32) bool { return (v[0]*v[1]+v[2])%modulus == rest })
		s.Sum(g, xs[p[3]], xs[p[4]], xs[p[5]])
	}
	for range rng.IntN(40) {
		p := rng.Perm(len(xs))
		lo := int32(rng.IntN(4))
		s.Exclude(Hard, []Span{{xs[p[0]], lo, lo + 3}, {xs[p[1]], 0, lo}})
	}
	if seed == 0 {
		s.Clause(Hard)
	}
	return s, on
}

func ask(t *testing.T, path string, flags []string, s *Session, on []Group) Status {
	t.Helper()
	var text bytes.Buffer
	if err := s.DIMACS(&text, on...); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "puzzle.cnf")
	if err := os.WriteFile(file, text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, append(flags, file)...)
	out, err := cmd.CombinedOutput()
	switch cmd.ProcessState.ExitCode() {
	case 10:
		return Sat
	case 20:
		return Unsat
	}
	t.Fatalf("%s: %v: %s", path, err, out)
	return Unknown
}
