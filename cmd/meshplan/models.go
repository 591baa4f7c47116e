package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"meshplan/models"
	"meshplan/units"
)

// modelsCommand is `models`.
func modelsCommand(a *app) *cobra.Command {
	l := &catalogue{
		name: "models", short: "The models that can be named", show: "NAME|FILE",
		known: models.Names, rows: modelRows, items: modelItems, view: modelView, toml: modelTOML, extra: modelExtra,
	}
	return l.command(a)
}

// modelItem is an entry of `models list --json`.
type modelItem struct {
	Name             string   `json:"name"`
	Aliases          []string `json:"aliases"`
	Parameters       int64    `json:"parameters"`
	ActiveParameters int64    `json:"active_parameters"`
	Layers           int      `json:"layers"`
}

func modelItems() []any {
	items := []any{}
	for _, m := range models.All() {
		aliases := append([]string{}, m.Aliases...)
		items = append(items, modelItem{m.Name, aliases, m.Total(), m.Active(), m.Layers})
	}
	return items
}

func modelRows() [][]string {
	rows := [][]string{{"model", "parameters", "active", "layers", "hidden", "experts", "also"}}
	for _, m := range models.All() {
		rows = append(rows, []string{m.Name, billions(m.Total()), billions(m.Active()), fmt.Sprint(m.Layers),
			units.Grouped(int64(m.Hidden)), orDash(m.Experts), clip(strings.Join(m.Aliases, ", "), 24)})
	}
	return rows
}

// billions prints a number of parameters, such as "70.6 B".
func billions(n int64) string { return fmt.Sprintf("%.1f B", float64(n)/1e9) }

func orDash(n int) string {
	if n == 0 {
		return "-"
	}
	return units.Grouped(int64(n))
}

// clip shortens a list of names that would make a table too wide.
func clip(s string, width int) string {
	if len(s) <= width {
		return s
	}
	return s[:width-3] + "..."
}

// modelView is a model as text: its totals and every key of its file.
func modelView(name string) (string, error) {
	m, err := models.Load(name)
	if err != nil {
		return "", err
	}
	file, err := m.TOML()
	if err != nil {
		return "", err
	}
	var p page
	p.line("%s: %s parameters, %s active for a token", m.Name, units.Grouped(m.Total()), units.Grouped(m.Active()))
	p.WriteByte('\n')
	p.list(tomlItems(string(file)))
	return p.String(), nil
}

// plainTOML drops the quotes and brackets of a value.
var plainTOML = strings.NewReplacer(`"`, "", "[", "", "]", "")

// tomlItems are the keys and values of a flat TOML file.
func tomlItems(file string) [][2]string {
	var items [][2]string
	for line := range strings.Lines(file) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), " = "); ok {
			items = append(items, [2]string{key, plainTOML.Replace(value)})
		}
	}
	return items
}

func modelTOML(name string) ([]byte, error) {
	m, err := models.Load(name)
	if err != nil {
		return nil, err
	}
	return m.TOML()
}

func modelExtra(name string) map[string]float64 {
	m, err := models.Load(name)
	if err != nil {
		return nil
	}
	return map[string]float64{"parameters": float64(m.Total()), "active_parameters": float64(m.Active())}
}
