package cluster

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"meshplan/strict"
)

// Node is one machine of a list.
type Node struct {
	Name string
	// GPUs is the number of its healthy GPUs, -1 where the list does not say:
	// all that such a node has.
	GPUs int
	// In are the domains of the network that it lies in, the outermost first and
	// its leaf last; empty where the list does not say.
	In []string
	// At is where the list names the node: FILE:LINE:COLUMN, or the column of a
	// hostlist.
	At string
}

// maxNodeFile is the size in bytes of the largest list of nodes that is read.
const maxNodeFile = 32 << 20

// LoadNodes reads a list of nodes: a hostlist ("gpu[001-030,033]"), or a file
// where the text ends in .txt or .conf, holds a path separator or names a file
// (see ParseNodes).
func LoadNodes(listOrPath string) ([]Node, error) {
	if !isNodeFile(listOrPath) {
		found, err := hosts(strings.TrimSpace(listOrPath), 0)
		if err != nil {
			return nil, err
		}
		return once(found, func(at int) string { return fmt.Sprintf("column %d", at+1) }, nil, -1)
	}
	text, err := strict.ReadFile(listOrPath, maxNodeFile)
	if err != nil {
		return nil, err
	}
	return ParseNodes(listOrPath, text)
}

func isNodeFile(name string) bool {
	if strings.HasSuffix(name, ".txt") || strings.HasSuffix(name, ".conf") || strings.ContainsAny(name, `/\`) {
		return true
	}
	_, err := os.Stat(name)
	return err == nil
}

// ParseNodes reads a file of nodes; file is its name, for errors. Each line is
// a node or a hostlist, then the number of healthy GPUs of each, then the leaf
// they are in, both of which may be left out:
//
//	gpu[001-030]  8  leaf1
//	gpu031        6  pod1/leaf2   # the domains around a node, outermost first
//
// "slots=8" is a number of GPUs too. A file whose first line names a switch or
// a block is read as Slurm's topology.conf.
func ParseNodes(file string, text []byte) ([]Node, error) {
	lines := strings.Split(string(text), "\n")
	for _, line := range lines {
		if words := fieldsOf(line); len(words) > 0 {
			if key, _, ok := strings.Cut(words[0].name, "="); ok && key != "" {
				return parseTopology(file, lines)
			}
			break
		}
	}
	var nodes []Node
	for i, line := range lines {
		words := fieldsOf(line)
		if len(words) == 0 {
			continue
		}
		where := func(at int) string { return fmt.Sprintf("%s:%d:%d", file, i+1, at+1) }
		of, err := nodeLine(words, where)
		if err != nil {
			return nil, err
		}
		if nodes = append(nodes, of...); len(nodes) > maxNodes {
			return nil, fmt.Errorf("%s: more than %d nodes", where(0), maxNodes)
		}
	}
	if len(nodes) == 0 {
		return nil, fmt.Errorf("%s: names no node; want lines such as \"gpu001 8 leaf1\"", file)
	}
	return nodes, differ(nodes)
}

// fieldsOf are the words of a line before a comment.
func fieldsOf(line string) []named {
	line, _, _ = strings.Cut(line, "#")
	var words []named
	for at := 0; at < len(line); {
		if strings.IndexByte(" \t\r", line[at]) >= 0 {
			at++
			continue
		}
		end := at + strings.IndexAny(line[at:]+" ", " \t\r")
		words = append(words, named{line[at:end], at})
		at = end
	}
	return words
}

// nodeLine reads "gpu[001-030] 8 leaf1".
func nodeLine(words []named, where func(int) string) ([]Node, error) {
	found, err := hosts(words[0].name, words[0].at)
	if err != nil {
		return nil, placed(err, where)
	}
	gpus, rest := -1, words[1:]
	if len(rest) > 0 {
		digits := strings.TrimPrefix(rest[0].name, "slots=")
		if n, ok := hostNumber(digits); ok {
			gpus, rest = n, rest[1:]
		} else if digits != rest[0].name || len(rest) > 1 {
			return nil, fmt.Errorf("%s: %q: want the number of healthy GPUs, then the leaf", where(rest[0].at), strict.Clip(rest[0].name, 40))
		}
	}
	var in []string
	if len(rest) > 0 {
		if in, err = pathOf(rest[0]); err != nil {
			return nil, placed(err, where)
		}
	}
	if len(rest) > 1 {
		return nil, fmt.Errorf("%s: %q: a line is a node, its healthy GPUs and its leaf, and no more", where(rest[1].at), strict.Clip(rest[1].name, 40))
	}
	return once(found, where, in, gpus)
}

// pathOf reads the domains around a node: "leaf1", or "pod1/leaf1".
func pathOf(word named) ([]string, error) {
	path := strings.Split(word.name, "/")
	for _, name := range path {
		if i := strings.IndexFunc(name, func(r rune) bool { return !nameRune(r) }); i >= 0 || name == "" {
			return nil, badText(word.at, "%q: want the name of a leaf, or the names around a node with / between, such as pod1/leaf1", strict.Clip(word.name, 40))
		}
	}
	return path, nil
}

// placed gives an error of a text its file and line.
func placed(err error, where func(int) string) error {
	if e, ok := err.(*textError); ok {
		return fmt.Errorf("%s: %s", where(e.at), e.text)
	}
	return err
}

// once makes nodes of names that must differ.
func once(found []named, where func(int) string, in []string, gpus int) ([]Node, error) {
	nodes := make([]Node, len(found))
	for i, n := range found {
		nodes[i] = Node{Name: n.name, GPUs: gpus, In: in, At: where(n.at)}
	}
	return nodes, differ(nodes)
}

// differ is the error of the first node that is named twice.
func differ(nodes []Node) error {
	at := make(map[string]string, len(nodes))
	for i := range nodes {
		n := &nodes[i]
		if before, twice := at[n.Name]; twice {
			return fmt.Errorf("%s: node %s is named twice, before at %s", n.At, n.Name, before)
		}
		at[n.Name] = n.At
	}
	return nil
}

// WithTopology gives the nodes the switches that a topology has them in.
func WithTopology(nodes, topology []Node) ([]Node, error) {
	in := make(map[string][]string, len(topology))
	for i := range topology {
		in[topology[i].Name] = topology[i].In
	}
	nodes = slices.Clone(nodes)
	for i := range nodes {
		n := &nodes[i]
		path, known := in[n.Name]
		if !known {
			return nil, fmt.Errorf("%s: node %s is in no switch of the topology%s", n.At, n.Name, strict.Suggest(n.Name, namesOf(topology), 2, nil))
		}
		n.In = path
	}
	return nodes, nil
}

func namesOf(nodes []Node) []string {
	names := make([]string, len(nodes))
	for i := range nodes {
		names[i] = nodes[i].Name
	}
	return names
}

// plural is "1 node" or "3 nodes".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
