// Package meshplan_test holds what is true of the module as a whole.
package meshplan_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// arrows says which packages of the module each package may import. They point
// one way: from the command down to the units.
var arrows = map[string][]string{
	"units":        {},
	"strict":       {},
	"plan":         {"strict", "units"},
	"models":       {"plan", "strict", "units"},
	"cluster":      {"plan", "strict", "units"},
	"cost/profile": {"plan", "cluster", "strict", "units"},
	"framework":    {"plan", "models", "cluster", "strict", "units"},
	"framework/*":  {"framework", "plan", "models", "cluster", "units"},
	"framework/all": {"framework", "framework/any", "framework/deepspeed", "framework/fsdp", "framework/megatron",
		"framework/nanotron", "framework/torchtitan", "plan", "models", "cluster", "strict", "units"},
	"cost":         {"cost/profile", "plan", "models", "cluster", "units"},
	"solver":       {},
	"assign":       {"solver"},
	"encode":       {"solver", "framework", "plan", "models", "cluster"},
	"search":       {"assign", "encode", "solver", "framework", "cost", "cost/profile", "plan", "models", "cluster", "units"},
	"search/loops": {"cost", "cost/profile", "framework", "plan", "models", "cluster", "units"},
	"measured":     {"cost", "cost/profile", "framework", "framework/all", "plan", "models", "cluster", "strict", "units"},
	"cmd/meshplan": {"measured", "search", "framework", "framework/all", "cost", "cost/profile", "plan", "models", "cluster", "strict", "units"},
}

// users says which packages may import the modules of others; what is not
// listed is the standard library or used by tests only.
var users = map[string][]string{
	"github.com/irifrance/gini":  {"solver"},
	"github.com/BurntSushi/toml": {"strict", "models", "cluster", "cmd/meshplan"},
	"gonum.org/v1/gonum":         {"cluster", "measured"},
	"gonum.org/v1/plot":          {"cmd/meshplan"},
	"github.com/spf13/cobra":     {"cmd/meshplan"},
	"github.com/spf13/pflag":     {"cmd/meshplan"},
	"golang.org/x/term":          {"cmd/meshplan"},
	"golang.org/x/sync":          {"search", "measured"},
}

func TestImportsPointDownwards(t *testing.T) {
	for file, imports := range sources(t) {
		from := path.Dir(file)
		allowed, ok := arrowsOf(from)
		if !ok {
			t.Errorf("%s: package %s has no entry in the table of arrows", file, from)
		}
		for _, imp := range imports {
			to, ours := strings.CutPrefix(imp, "meshplan/")
			if ours && !matches(allowed, to) {
				t.Errorf("%s: %s must not import %s", file, from, to)
			}
		}
	}
}

func TestModulesOfOthersAreImportedWhereTheyBelong(t *testing.T) {
	for file, imports := range sources(t) {
		for _, imp := range imports {
			first, _, _ := strings.Cut(imp, "/")
			if !strings.Contains(first, ".") {
				continue
			}
			if !matches(usersOf(imp), path.Dir(file)) {
				t.Errorf("%s: %s must not import %s", file, path.Dir(file), imp)
			}
		}
	}
}

// sources are the imports of every file that is not a test, by its path.
func sources(t *testing.T) map[string][]string {
	t.Helper()
	files := map[string][]string{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || len(d.Name()) > 1 && d.Name()[0] == '.'):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		var imports []string
		for _, spec := range f.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports = append(imports, imp)
		}
		files[filepath.ToSlash(name)] = imports
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// arrowsOf is the entry of a package, or of the pattern "PARENT/*".
func arrowsOf(pkg string) (allowed []string, ok bool) {
	if allowed, ok = arrows[pkg]; ok {
		return allowed, true
	}
	allowed, ok = arrows[path.Dir(pkg)+"/*"]
	return allowed, ok
}

func matches(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(pattern, pkg)
		return ok && err == nil
	})
}

// usersOf are the packages that may import a path of another module.
func usersOf(imp string) []string {
	for module, pkgs := range users {
		if imp == module || strings.HasPrefix(imp, module+"/") {
			return pkgs
		}
	}
	return nil
}
