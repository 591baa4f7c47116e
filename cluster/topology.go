package cluster

import (
	"fmt"
	"slices"
	"strings"

	"meshplan/strict"
)

// netSwitch is a switch or a block of a topology file.
type netSwitch struct {
	named
	line     int // the joined one
	nodes    []named
	switches []named
	above    string // the first switch that lists it
}

// parseTopology reads Slurm's topology.conf: of topology/tree lines such as
//
//	SwitchName=s0 Nodes=n[0-15]
//	SwitchName=s2 Switches=s[0-1]
//
// and of topology/block lines such as BlockName=b1 Nodes=n[01-18]. Keys are
// not case-sensitive, LinkSpeed and BlockSizes are not used (topology.conf(5)).
// A line that ends in a backslash goes on in the next.
func parseTopology(file string, lines []string) ([]Node, error) {
	t := topology{file: file, lines: joinContinued(lines), byName: map[string]*netSwitch{}}
	for i := range t.lines {
		if words := fieldsOf(t.lines[i].text); len(words) > 0 {
			if err := t.line(i, words); err != nil {
				return nil, err
			}
		}
	}
	return t.nodes()
}

// topology is a topology file while it is read.
type topology struct {
	file   string
	lines  []joinedLine
	list   []*netSwitch
	byName map[string]*netSwitch
}

// at is the place of a column of a joined line.
func (t *topology) at(line, column int) string {
	line, column = t.lines[line].place(column)
	return fmt.Sprintf("%s:%d:%d", t.file, line+1, column+1)
}

// topologyKeys are the keys of a line.
var topologyKeys = []string{"SwitchName", "BlockName", "Nodes", "Switches", "LinkSpeed", "BlockSizes"}

// line reads the keys of one line.
func (t *topology) line(number int, words []named) error {
	s := &netSwitch{line: number}
	where := func(at int) string { return t.at(number, at) }
	sizes := false
	for _, w := range words {
		key, value, ok := strings.Cut(w.name, "=")
		if !ok || value == "" {
			return fmt.Errorf("%s: %q: want KEY=VALUE, such as SwitchName=s0 Nodes=n[0-15]", where(w.at), strict.Clip(w.name, 40))
		}
		at := w.at + len(key) + 1
		var err error
		switch strings.ToLower(key) {
		case "switchname", "blockname":
			s.named = named{value, w.at}
			_, err = pathOf(named{value, at})
		case "nodes":
			s.nodes, err = hosts(value, at)
		case "switches":
			s.switches, err = hosts(value, at)
		case "linkspeed":
		case "blocksizes":
			sizes = true
		default:
			return fmt.Errorf("%s: unknown key %q%s", where(w.at), strict.Clip(key, 40), strict.Suggest(key, topologyKeys, 1, nil))
		}
		if err != nil {
			return placed(err, where)
		}
	}
	switch {
	case sizes && s.name == "":
		return nil
	case s.name == "" || strings.Contains(s.name, "/"):
		return fmt.Errorf("%s: want a line that begins with SwitchName= or BlockName=", where(words[0].at))
	case len(s.nodes) > 0 == (len(s.switches) > 0):
		return fmt.Errorf("%s: switch %s: want either Nodes= or Switches=", where(s.at), strict.Clip(s.name, 40))
	}
	if before := t.byName[s.name]; before != nil {
		return fmt.Errorf("%s: switch %s is defined twice, before at %s", where(s.at), strict.Clip(s.name, 40), t.at(before.line, before.at))
	}
	t.list, t.byName[s.name] = append(t.list, s), s
	return nil
}

// nodes are the nodes of the switches, each with the switches around it.
func (t *topology) nodes() ([]Node, error) {
	if err := t.connect(); err != nil {
		return nil, err
	}
	var nodes []Node
	for _, s := range t.list {
		if len(s.nodes) == 0 {
			continue
		}
		in, err := t.path(s)
		if err != nil {
			return nil, err
		}
		of, err := once(s.nodes, func(at int) string { return t.at(s.line, at) }, in, -1)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, of...)
	}
	if len(nodes) == 0 {
		return nil, fmt.Errorf("%s: no switch has nodes", t.file)
	}
	return nodes, differ(nodes)
}

// connect notes the switch above each; of several, as in a fat tree, the first.
func (t *topology) connect() error {
	for _, s := range t.list {
		for _, child := range s.switches {
			c := t.byName[child.name]
			if c == nil {
				var known []string
				for _, s := range t.list {
					known = append(known, s.name)
				}
				return fmt.Errorf("%s: switch %s lists %s, which no line defines%s", t.at(s.line, child.at), s.name, strict.Clip(child.name, 40),
					strict.Suggest(child.name, known, 1, nil))
			}
			if c.above == "" {
				c.above = s.name
			}
		}
	}
	return nil
}

// path are the switches around the nodes of one, outermost first.
func (t *topology) path(s *netSwitch) ([]string, error) {
	path := []string{s.name}
	for above := s.above; above != ""; above = t.byName[above].above {
		if slices.Contains(path, above) {
			return nil, fmt.Errorf("%s: switch %s lies inside itself", t.at(s.line, s.at), above)
		}
		path = append(path, above)
	}
	slices.Reverse(path)
	return path, nil
}
