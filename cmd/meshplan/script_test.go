package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"meshplan/search"
)

var update = flag.Bool("update", false, "rewrite the expected outputs of the tests")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"meshplan": main})
}

// command is a command of the scripts.
type command = func(ts *testscript.TestScript, neg bool, args []string)

// withPlan is a command that writes a job file with a plan of a result:
// with-plan RESULT.json JOB.toml NEW.toml.
func withPlan(of func(*search.Result) *search.PlanResult) command {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		r, err := search.ReadJSON(strings.NewReader(ts.ReadFile(args[0])))
		ts.Check(err)
		job := fmt.Sprintf("%s\nplan = %q\n", ts.ReadFile(args[1]), of(r).Text)
		ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(job), 0o644))
	}
}

// scripts are the files of all scripts; under -short, that is under the race
// detector, without those that show more answers of commands which others run.
func scripts(t *testing.T) []string {
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(files, func(f string) bool {
		name := filepath.Base(f)
		more := strings.HasPrefix(name, "answer-") || strings.HasPrefix(name, "explain-") || slices.Contains(moreAnswers, name)
		return testing.Short() && more
	})
}

// moreAnswers are scripts whose commands search as those of others do.
var moreAnswers = []string{
	"why.txtar", "why-cluster-file.txtar", "sensitivity.txtar", "sensitivity-json.txtar", "frameworks-plan.txtar", "frameworks-explain.txtar",
	"nodes-upper-bounds.txtar", "plan-nodes.txtar", "set.txtar", "pareto-gpus.txtar", "min-gpus-goals.txtar", "idle-gpus.txtar", "recompute-by-stage.txtar", "multi-token-prediction.txtar", "hierarchical-context.txtar", "flags-twice.txtar",
	"byte-order-mark.txtar",
}

// TestScripts runs the program as a user does, one behaviour a file.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Files:               scripts(t),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Cmds: map[string]command{
			"with-plan":       withPlan(func(r *search.Result) *search.PlanResult { return &r.Plans[0] }),
			"with-borderline": withPlan(func(r *search.Result) *search.PlanResult { return &r.Borderline.Plan }),
		},
		Setup: func(e *testscript.Env) error {
			jobs, err := os.ReadDir("../../testdata/jobs")
			if err != nil {
				return err
			}
			for _, j := range jobs {
				text, err := os.ReadFile("../../testdata/jobs/" + j.Name())
				if err != nil {
					return err
				}
				if err := os.WriteFile(e.WorkDir+"/"+j.Name(), text, 0o644); err != nil {
					return err
				}
			}
			return nil
		},
	})
}
