package solver

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const enginePath = "github.com/irifrance/gini"

// safe are the operations of the engine that this package may use. Others end
// the process (Solve after a root refutation), lose the search's state (Copy),
// corrupt the formula (Activate, Deactivate), leak goroutines (GoSolve) or
// write what was not added (Write).
var safe = []string{"New", "NewV", "NewVc", "Add", "Assume", "Try", "Value", "Why", "Test", "Untest", "MaxVar", "Gini"}

func TestOnlyTheEngineFileImportsTheEngineAndOnlySafely(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file := parse(t, name)
		if imports := engineImports(file); len(imports) == 0 {
			continue
		} else if name != "engine.go" {
			t.Errorf("%s imports %v; only engine.go may", name, imports)
		} else if slices.Contains(imports, enginePath+"/logic") {
			t.Errorf("%s imports the engine's circuits", name)
		}
		for _, used := range engineOperations(file) {
			if !slices.Contains(safe, used) {
				t.Errorf("%s uses the engine's %s", name, used)
			}
		}
	}
}

// engineOperations lists what a file selects from the engine's package or from
// an engine held in a field named g.
func engineOperations(file *ast.File) []string {
	var used []string
	ast.Inspect(file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		switch x := sel.X.(type) {
		case *ast.Ident:
			if x.Name == "gini" {
				used = append(used, sel.Sel.Name)
			}
		case *ast.SelectorExpr:
			if x.Sel.Name == "g" {
				used = append(used, sel.Sel.Name)
			}
		}
		return true
	})
	return used
}

func TestNoOtherPackageImportsTheEngine(t *testing.T) {
	root := ".."
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Skip("the module's tree is not here")
	}
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "vendor" || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || filepath.Dir(path) == filepath.Join(root, "solver"):
			return nil
		}
		seen++
		if imports := engineImports(parse(t, path)); len(imports) > 0 {
			t.Errorf("%s imports %v", path, imports)
		}
		return nil
	})
	if err != nil || seen == 0 {
		t.Errorf("%d files read, error %v", seen, err)
	}
}

func TestNoExportedDeclarationNamesTheEngine(t *testing.T) {
	file := parse(t, "engine.go")
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() {
				t.Errorf("engine.go exports %s", d.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok && s.Name.IsExported() {
					t.Errorf("engine.go exports %s", s.Name)
				}
			}
		}
	}
}

func parse(t *testing.T, name string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// engineImports lists the file's imports of the engine's module.
func engineImports(file *ast.File) []string {
	var found []string
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		if path == enginePath || strings.HasPrefix(path, enginePath+"/") || strings.HasPrefix(path, "github.com/go-air/gini") {
			found = append(found, path)
		}
	}
	return found
}
