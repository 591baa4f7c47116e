package cluster

import (
	"fmt"
	"slices"
	"strings"
)

// part is a domain while domains are made, with the names around it that the
// list gives, its own last.
type part struct {
	*Domain
	path []string
	at   string // the node that it was made for
}

// tree makes the domains from the nodes up.
func (a *assembly) tree() (*Domain, error) {
	last := len(a.of.Levels) - 1
	if err := a.paths(max(0, last-a.first)); err != nil {
		return nil, err
	}
	parts := make([]part, len(a.nodes))
	for i := range a.nodes {
		n := &a.nodes[i]
		d := &Domain{Shares: []Share{{n, n.GPUs}}}
		if a.each == 1 {
			d = a.inside(n)
		}
		parts[i] = part{d, n.In[max(0, len(n.In)-max(0, last-a.first)):], n.At}
	}
	for l := a.first; l < last; l++ {
		var err error
		if parts, err = a.group(l, parts); err != nil {
			return nil, err
		}
	}
	if last < a.first { // a cluster of one box
		return a.single(parts)
	}
	root := part{&Domain{}, nil, a.nodes[0].At}
	for _, p := range parts {
		a.put(last, root.Domain, p.Domain)
	}
	return root.Domain, a.full(last, root, len(parts))
}

// single is the only box of a cluster without a network.
func (a *assembly) single(parts []part) (*Domain, error) {
	if len(parts) > 1 {
		return nil, fmt.Errorf("%s: %s has one node and no network; want a list of one node", parts[1].at, a.of.Name)
	}
	return parts[0].Domain, nil
}

// paths wants every node to say as much about where it lies, and the domains
// of the outermost level to be one. It needs the names of so many levels.
func (a *assembly) paths(need int) error {
	first := &a.nodes[0]
	var outer []string
	for i := range a.nodes {
		n := &a.nodes[i]
		switch have, want := len(n.In), len(first.In); {
		case have == 0 && want > 0:
			return fmt.Errorf("%s: node %s is in no leaf; node %s is in %s", n.At, n.Name, first.Name, strings.Join(first.In, "/"))
		case have > 0 && want == 0:
			return fmt.Errorf("%s: node %s is in no leaf; node %s is in %s", first.At, first.Name, n.Name, strings.Join(n.In, "/"))
		case min(have, need) != min(want, need):
			return fmt.Errorf("%s: node %s is in %s, node %s in %s: want as many names for each", n.At, n.Name, strings.Join(n.In, "/"), first.Name, strings.Join(first.In, "/"))
		case have > need:
			outer = appendNew(outer, n.In[have-need-1])
		}
	}
	if len(outer) < 2 {
		return nil
	}
	top := a.of.Levels[len(a.of.Levels)-1].Name
	if need <= 0 {
		return fmt.Errorf("%s: the nodes are in %s, %s and so on; the outermost level of %s is one domain of %s: add a level above it, or leave the names out",
			first.At, outer[0], outer[1], a.of.Name, top)
	}
	a.said = append(a.said, fmt.Sprintf("%s and so on are taken for one %s", strings.Join(outer[:2], ", "), top))
	return nil
}

// appendNew appends a name that the list does not have; of a long list it
// keeps the first.
func appendNew(list []string, name string) []string {
	if len(list) >= 2 || slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// group makes the domains of a level: those that the list names or, where it
// does not, as many parts in the order of the list as fill one.
func (a *assembly) group(l int, parts []part) ([]part, error) {
	var groups []part
	if len(parts[0].path) == 0 {
		size := a.fill[l]
		if l == 0 {
			size = a.each
		}
		if size == 0 {
			size = len(parts)
		}
		for some := range slices.Chunk(parts, size) {
			d := &Domain{Name: fmt.Sprint(a.of.Levels[l].Name, len(groups)+1)}
			for _, p := range some {
				a.put(l, d, p.Domain)
			}
			d.enclose()
			groups = append(groups, part{d, nil, some[0].at})
		}
		return groups, nil
	}
	index := map[string]int{}
	sizes := []int{}
	for _, p := range parts {
		key := strings.Join(p.path, "/")
		i, known := index[key]
		if !known {
			i = len(groups)
			index[key] = i
			last := len(p.path) - 1
			groups = append(groups, part{&Domain{Name: p.path[last]}, p.path[:last], p.at})
			sizes = append(sizes, 0)
		}
		a.put(l, groups[i].Domain, p.Domain)
		sizes[i]++
	}
	for i, g := range groups {
		if err := a.full(l, g, sizes[i]); err != nil {
			return nil, err
		}
	}
	return groups, nil
}

// enclose tells the nodes inside that they lie in the domain.
func (d *Domain) enclose() {
	var seen *Node
	d.shares(func(s *Share) {
		if s.Node != seen {
			s.Node.In = append([]string{d.Name}, s.Node.In...)
		}
		seen = s.Node
	})
}

// shares calls do for the shares of nodes inside, in the order of the list.
func (d *Domain) shares(do func(*Share)) {
	for i := range d.Shares {
		do(&d.Shares[i])
	}
	for _, in := range d.Inside {
		in.shares(do)
	}
}

// put puts a part into a domain of the level; an innermost one has shares of nodes.
func (a *assembly) put(l int, d, in *Domain) {
	if l == 0 {
		d.Shares = append(d.Shares, in.Shares...)
		return
	}
	d.Inside = append(d.Inside, in)
}

// full is the error of a domain that has more parts than the level holds.
func (a *assembly) full(l int, g part, parts int) error {
	most, noun := a.of.Levels[l].Size, "domain"
	switch {
	case l == a.first && a.each > 1:
		most, noun = a.each, "node"
	case l == a.first:
		noun = "node"
	}
	if most == 0 || parts <= most {
		return nil
	}
	name := g.Name
	if name == "" {
		name = "the list"
	}
	return fmt.Errorf("%s: %s has %s; a domain of %s of %s holds %d", g.at, name, plural(parts, noun), a.of.Levels[l].Name, a.of.Name, most)
}
