package main

import (
	"encoding/json"
	"fmt"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"

	"meshplan/search"
)

// catalogue is a list of named things and the form of one of them: the
// commands `models` and `clusters`.
type catalogue struct {
	name  string // of the command and of the list in JSON
	short string
	known func() []string
	show  string                               // what `show` takes
	rows  func() [][]string                    // the list as a table
	items func() []any                         // the list as JSON
	view  func(name string) (string, error)    // one as text
	toml  func(name string) ([]byte, error)    // one as a file
	extra func(name string) map[string]float64 // figures of one that its file lacks
}

// command makes `NAME list` and `NAME show`.
func (l *catalogue) command(a *app) *cobra.Command {
	c := &cobra.Command{Use: l.name, Short: l.short, Args: cobra.ArbitraryArgs, RunE: group}
	var asJSON, asTOML bool
	list := &cobra.Command{
		Use: "list", Short: "List what the catalogue holds", Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return l.printList(a, asJSON) },
	}
	show := &cobra.Command{
		Use: "show " + l.show, Short: "Show one of them, or one of your own files", Args: oneName,
		RunE:              func(_ *cobra.Command, args []string) error { return l.printOne(a, args[0], asJSON, asTOML) },
		ValidArgsFunction: cobra.FixedCompletions(l.known(), cobra.ShellCompDirectiveDefault),
	}
	for _, sub := range []*cobra.Command{list, show} {
		sub.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	}
	show.Flags().BoolVar(&asTOML, "toml", false, "print as a file to start your own from")
	c.AddCommand(list, show)
	return c
}

func (l *catalogue) printList(a *app, asJSON bool) error {
	if asJSON {
		return l.printItems(a, l.items())
	}
	var p page
	p.table(l.rows())
	return a.print(p.String())
}

func (l *catalogue) printOne(a *app, name string, asJSON, asTOML bool) error {
	if asJSON && asTOML {
		return badUsage("--json and --toml exclude each other")
	}
	if !asJSON && !asTOML {
		text, err := l.view(name)
		if err != nil {
			return usageError(err)
		}
		return a.print(text)
	}
	file, err := l.toml(name)
	if err != nil {
		return usageError(err)
	}
	if asTOML {
		return a.write(file)
	}
	item := map[string]any{}
	if err := toml.Unmarshal(file, &item); err != nil {
		return internalError(err)
	}
	for key, v := range l.extra(name) {
		item[key] = v
	}
	return l.printItems(a, []any{item})
}

// printItems prints entries as JSON under the catalogue's name.
func (l *catalogue) printItems(a *app, items []any) error {
	text, err := json.MarshalIndent(map[string]any{"format_version": search.FormatVersion, l.name: items}, "", "  ")
	if err != nil {
		return internalError(fmt.Errorf("writing JSON: %w", err))
	}
	return a.write(append(text, '\n'))
}
