package cluster

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestHostlistsAreExpandedAsSlurmDoes(t *testing.T) {
	for list, want := range map[string]string{
		"login":                  "login",
		"gpu[1-3]":               "gpu1 gpu2 gpu3",
		"gpu[001-003,7]":         "gpu001 gpu002 gpu003 gpu7",
		"n[08-11]":               "n08 n09 n10 n11",
		"rack[1-2]n[01-02,5]":    "rack1n01 rack1n02 rack1n5 rack2n01 rack2n02 rack2n5",
		"d[1-2],x,n[9-10].local": "d1 d2 x n9.local n10.local",
		"tux[0-1,12]":            "tux0 tux1 tux12",
	} {
		names, err := Hosts(list)
		if err != nil || strings.Join(names, " ") != want {
			t.Errorf("%s: %v, %v; want %s", list, names, err, want)
		}
	}
}

func TestHostlistsThatAreNoneAreErrorsWithTheirColumn(t *testing.T) {
	for list, want := range map[string]string{
		"":                 "column 1: a name is missing",
		"a,,b":             "column 3: a name is missing",
		"gpu[1-3":          "column 4: the bracket is not closed",
		"gpu1]":            "column 5: a closing bracket without an opening one",
		"gpu[1-[2]]":       "column 7: a bracket inside brackets",
		"gpu[3-1]":         "column 5: the range 3-1 ends before it starts; want 1-3",
		"gpu[1,x]":         `column 7: "x" in brackets: want a number or a range`,
		"gpu[]":            `column 5: "" in brackets`,
		"a,gpu 1":          `column 6: " " cannot be part of a name`,
		"n[1-9]x[1-99999]": "more than 250000 nodes",
		"n[1-999999999]":   "column 3: more than 250000 nodes",
		"bgl[0x1]":         `"0x1" in brackets`,
	} {
		if _, err := Hosts(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %s", list, err, want)
		}
	}
}

func TestFoldedNamesExpandToThemselves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`(gpu|n|rack1-)?[0-9]{1,4}(x)?`)
		names := rapid.SliceOfN(name, 1, 12).Draw(t, "names")
		if rapid.Bool().Draw(t, "a run") {
			from := rapid.IntRange(0, 120).Draw(t, "from")
			for i := range rapid.IntRange(1, 20).Draw(t, "length") {
				names = append(names, fmt.Sprintf("gpu%0*d", rapid.IntRange(1, 3).Draw(t, "width"), from+i))
			}
		}
		folded := FoldHosts(names)
		if again, err := Hosts(folded); err != nil || !slices.Equal(again, names) {
			t.Fatalf("%v: %s, %v, %v", names, folded, again, err)
		}
	})
	if got := FoldHosts([]string{"gpu001", "gpu002", "gpu003", "gpu007", "x"}); got != "gpu[001-003,007],x" {
		t.Error(got)
	}
}

func TestFilesOfNodesAreRead(t *testing.T) {
	nodes, err := ParseNodes("n.txt", []byte("# a comment\ngpu[1-2] 8 leaf1\r\n\n gpu3 6  pod/leaf2 # broken\ngpu4 slots=4\ngpu5 leaf1\ngpu6\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range nodes {
		got = append(got, fmt.Sprintf("%s %d %v %s", n.Name, n.GPUs, n.In, n.At))
	}
	want := []string{"gpu1 8 [leaf1] n.txt:2:1", "gpu2 8 [leaf1] n.txt:2:1", "gpu3 6 [pod leaf2] n.txt:4:2", "gpu4 4 [] n.txt:5:1", "gpu5 -1 [leaf1] n.txt:6:1", "gpu6 -1 [] n.txt:7:1"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// topologyFile is written after the format of topology.conf(5).
const topologyFile = `# two leaf switches and a spine
SwitchName=s0 Nodes=n[0-2] LinkSpeed=10
switchname=s1 nodes=n[3-4,7]
SwitchName=s2 Switches=s[0-1]
`

func TestTopologiesAreRead(t *testing.T) {
	nodes, err := ParseNodes("topology.conf", []byte(topologyFile))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range nodes {
		got = append(got, n.Name+"@"+strings.Join(n.In, "/"))
	}
	if text := strings.Join(got, " "); text != "n0@s2/s0 n1@s2/s0 n2@s2/s0 n3@s2/s1 n4@s2/s1 n7@s2/s1" {
		t.Error(text)
	}
	continued, err := ParseNodes("topology.conf", []byte("SwitchName=s0 \\ # first\n  Nodes=n[0-2,\\\t\r\n3]\nSwitchName=s1 Nodes=n4 # no more \\\nSwitchName=s2 Switches=s[0-1] \\"))
	if err != nil || len(continued) != 5 || continued[3].Name != "n3" || strings.Join(continued[4].In, "/") != "s2/s1" {
		t.Errorf("%v, %v", continued, err)
	}
	if at := continued[0].At; at != "topology.conf:2:9" {
		t.Errorf("the first node is at %s", at)
	}
	list, err := LoadNodes("n[2-4]")
	if err != nil {
		t.Fatal(err)
	}
	if list, err = WithTopology(list, nodes); err != nil || strings.Join(list[0].In, "/") != "s2/s0" || strings.Join(list[2].In, "/") != "s2/s1" {
		t.Errorf("%v, %v", list, err)
	}
	blocks, err := ParseNodes("topology.conf", []byte("BlockName=b1 Nodes=n[01-18]\nBlockName=b2 Nodes=n[19-36]\nBlockSizes=18\n"))
	if err != nil || len(blocks) != 36 || blocks[35].In[0] != "b2" {
		t.Errorf("%v, %v", blocks, err)
	}
}

func TestListsOfNodesThatMakeNoSenseAreErrorsWithTheirPlace(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "n.txt: names no node",
		"gpu1\ngpu1 4":                     "n.txt:2:1: node gpu1 is named twice, before at n.txt:1:1",
		"gpu1 8 leaf1 x":                   `n.txt:1:14: "x": a line is a node, its healthy GPUs and its leaf, and no more`,
		"gpu1 -3 leaf1":                    `n.txt:1:6: "-3": want the number of healthy GPUs, then the leaf`,
		"gpu1 slots=x":                     `n.txt:1:6: "slots=x": want the number`,
		"gpu1 8 a//b":                      `n.txt:1:8: "a//b": want the name of a leaf`,
		"ok 8\n  gpu[1-":                   "n.txt:2:6: the bracket is not closed",
		"SwitchName=s0":                    "n.txt:1:1: switch s0: want either Nodes= or Switches=",
		"SwitchName=s0 Nodes=a Switches=b": "n.txt:1:1: switch s0: want either Nodes= or Switches=",
		"SwitchName=s0 Node=a":             `n.txt:1:15: unknown key "Node"; nearest: Nodes`,
		"SwitchName=s0 Nodes=a[":           "n.txt:1:22: the bracket is not closed",
		"SwitchName=s0 Nodes=a\nSwitchName=s0 Nodes=b":         "n.txt:2:1: switch s0 is defined twice, before at n.txt:1:1",
		"SwitchName=s0 Nodes=a\nSwitchName=s1 Nodes=a":         "n.txt:2:21: node a is named twice, before at n.txt:1:21",
		"SwitchName=s0 Nodes=a\nSwitchName=s1 Switches=s2":     "n.txt:2:24: switch s1 lists s2, which no line defines; nearest: s0",
		"SwitchName=s0 Switches=s1\nSwitchName=s1 Switches=s0": "n.txt: no switch has nodes",
		"Nodes=a": "n.txt:1:1: want a line that begins with SwitchName= or BlockName=",
		"SwitchName=s0 \\\n  Nodes=a \\\n LinkSpede=1": `n.txt:3:2: unknown key "LinkSpede"; nearest: LinkSpeed`,
		"SwitchName=s0 Nodes=a\\\\\n":                  `n.txt:1:`,
		"SwitchName=s0 Nodes":                          `n.txt:1:15: "Nodes": want KEY=VALUE`,
	} {
		if _, err := ParseNodes("n.txt", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
	}
}

func TestListsThatDoNotSuitTheClusterAreErrors(t *testing.T) {
	for _, c := range []struct{ name, cluster, nodes, want string }{
		{"more GPUs than a node has", "h100", "gpu1 8\ngpu2 9", "n.txt:2:1: node gpu2 has 9 healthy GPUs; a node of h100 has 8"},
		{"a node in no leaf", "h100", "gpu1 8 leaf1\ngpu2", "n.txt:2:1: node gpu2 is in no leaf; node gpu1 is in leaf1"},
		{"the first node in no leaf", "h100", "gpu1\ngpu2 leaf1", "n.txt:1:1: node gpu1 is in no leaf"},
		{"no healthy GPU", "h100", "gpu1 0\ngpu2 0", "n.txt:1:1: no node has a healthy GPU"},
		{"more nodes than an NVLink domain holds", "gb200", "g[1-19] 4 rack1", "n.txt:1:1: rack1 has 19 nodes; a domain of nvlink of gb200-nvl72 holds 18"},
		{"another number of GPUs", "h100:256", "gpu[1-3]", `cluster "h100:256": the list of nodes has 24 healthy GPUs of 24; want h100 alone, or h100:24`},
		{"an unknown cluster", "h1000x", "gpu1", `unknown cluster "h1000x"`},
		{"names of different depth", "gb200", "g1 4 a/b\ng2 4 b", "n.txt:2:1: node g2 is in b, node g1 in a/b: want as many names"},
	} {
		nodes, err := ParseNodes("n.txt", []byte(c.nodes))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = LoadWith(c.cluster, nodes); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %s", c.name, err, c.want)
		}
	}
}

const leaves = `gpu = "h100"
gpus_per_node = 8
[[level]]
name = "nvlink"
size = 8
bandwidth = "371GB/s"
latency_us = 1.9
[[level]]
name = "leaf"
bandwidth = "48.5GB/s"
latency_us = 4
[[level]]
name = "spine"
bandwidth = "48.5GB/s"
latency_us = 4
oversubscription = 2
[[leaf]]
name = "a"
nodes = "gpu[001-004]"
[[leaf]]
name = "b"
size = 3
gpus = 7
[[node]]
name = "gpu[002,004]"
gpus = 6
`

func TestLeavesOfAClusterFileAreRead(t *testing.T) {
	c, err := Parse("lab.toml", []byte(leaves))
	if err != nil {
		t.Fatal(err)
	}
	if c.GPUs() != 8+6+8+6+21 || c.Present() != 56 || !c.Irregular() || c.Levels[1].Size != 4 || c.Levels[2].Size != 2 {
		t.Errorf("%d of %d GPUs, %v", c.GPUs(), c.Present(), c.Levels)
	}
	if some, err := c.WithNodes([]Node{{Name: "gpu002", GPUs: -1}, {Name: "b-3", GPUs: -1}}); err != nil || some.GPUs() != 13 {
		t.Errorf("%v, %v", some, err)
	}
	text, err := c.TOML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse("lab.toml", text)
	if err != nil {
		t.Fatalf("%v of\n%s", err, text)
	}
	second, err := again.TOML()
	if err != nil || string(second) != string(text) || again.GPUs() != c.GPUs() {
		t.Errorf("%v\n%s\nread and written again:\n%s", err, text, second)
	}
}

func TestLeavesThatMakeNoSenseAreErrorsWithTheirPlace(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"a node in two leaves", "size = 3", `nodes = "gpu[004-005]"`, "lab.toml:22:1: node gpu004 is named twice, before at lab.toml:19:1"},
		{"a node in no leaf", `"gpu[002,004]"`, `"gpu[002,005]"`, "lab.toml:25:1: node gpu005 is in no leaf; nearest: gpu00"},
		{"more GPUs than a node has", "gpus = 6", "gpus = 9", "lab.toml:26:1: node gpu002 has 9 healthy GPUs; a node of lab has 8"},
		{"no name", "name = \"b\"\n", "", "the leaf needs a name"},
		{"neither nodes nor size", "size = 3\n", "", "lab.toml:21:1: leaf b: want either nodes"},
		{"a size below 1", "size = 3", "size = -3", "lab.toml:22:1: size = -3: want 1 to 250000 nodes"},
		{"no hostlist", "gpu[001-004]", "gpu[001-", `lab.toml:19:1: nodes "gpu[001-": column 4: the bracket is not closed`},
		{"an unknown key", "size = 3", "sise = 3", `unknown key "leaf.sise"; nearest: `},
		{"an innermost level of any size", "size = 8\n", "", "level 1 (nvlink) needs a size"},
		{"nodes that are no domain", "gpus_per_node = 8", "gpus_per_node = 3", "gpus_per_node = 3: a list of nodes needs nodes that are a domain"},
		{"more nodes than the level says", "name = \"leaf\"", "name = \"leaf\"\nsize = 3", "a has 4 nodes; a domain of leaf of lab holds 3"},
	} {
		text := strings.Replace(leaves, c.old, c.new, 1)
		if text == leaves {
			t.Fatal(c.name)
		}
		if _, err := Parse("lab.toml", []byte(text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %s", c.name, err, c.want)
		}
	}
}

// drawMachines is a small cluster whose domains differ.
func drawMachines(t *rapid.T) *Cluster {
	levels := rapid.IntRange(2, 4).Draw(t, "levels")
	full := &Cluster{Name: "drawn", GPU: known().gpuByName["h100sxm"], GPUsPerNode: 3}
	for l := range levels {
		size := 4
		if l == 0 {
			size = 3
		}
		full.Levels = append(full.Levels, Level{Name: fmt.Sprint("level", l), Size: size, Bandwidth: 1e9, Latency: 1e-6, Oversubscription: 1})
	}
	var nodes []Node
	for i := range rapid.IntRange(1, 10).Draw(t, "nodes") {
		var in []string
		for l := 1; l < levels-1; l++ {
			in = append(in, fmt.Sprint("d", rapid.IntRange(0, 2).Draw(t, "domain")))
		}
		nodes = append(nodes, Node{Name: fmt.Sprint("n", i), GPUs: rapid.IntRange(0, 3).Draw(t, "healthy"), In: in})
	}
	c, err := full.WithNodes(nodes)
	if err != nil {
		t.Skip(err)
	}
	return c
}

// choose reports whether some choice of used[level] sub-domains has room: it
// tries all of them.
func choose(d *Domain, used []int32, level int) bool {
	if level == 0 {
		return d.GPUs >= int(used[0])
	}
	for mask := range 1 << len(d.Inside) {
		n, all := int32(0), true
		for i, in := range d.Inside {
			if mask>>i&1 == 1 {
				n++
				all = all && choose(in, used, level-1)
			}
		}
		if all && n == used[level] {
			return true
		}
	}
	return false
}

func TestThereIsRoomWhereSomeChoiceOfDomainsHasIt(t *testing.T) {
	yes, no := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		c := drawMachines(t)
		used := make([]int32, len(c.Levels))
		for l := range used {
			used[l] = int32(rapid.IntRange(1, c.Levels[l].Size).Draw(t, "used"))
		}
		want := choose(c.Machines.Root, used, len(used)-1)
		if c.Holds(used) != want {
			t.Fatalf("%v: room %v", used, !want)
		}
		seats := c.Seats(used)
		if want {
			yes++
		} else {
			no++
		}
		if (seats != nil) != want {
			t.Fatalf("%v: %d boxes, room %v", used, len(seats), want)
		}
		boxes, gpus := 1, 0
		for l := c.Machines.Box + 1; l < len(used); l++ {
			boxes *= int(used[l])
		}
		taken := map[*Node]int{}
		for _, s := range seats {
			for _, share := range s {
				taken[share.Node] += share.GPUs
				gpus += share.GPUs
			}
		}
		for n, k := range taken {
			if k > n.GPUs {
				t.Fatalf("node %s runs %d ranks on %d GPUs", n.Name, k, n.GPUs)
			}
		}
		if want && (len(seats) != boxes || gpus != boxes*int(used[0])) {
			t.Fatalf("%v: %d boxes of %d, %d GPUs", used, len(seats), boxes, gpus)
		}
		if text := c.Shortfall(used); !strings.HasPrefix(text, "needs ") {
			t.Fatal(text)
		}
	})
	if yes < 10 || no < 10 {
		t.Errorf("room %d times, none %d times", yes, no)
	}
}

func TestBlocksAreRoomForAsManyAsARuleCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawMachines(t).Merged()
		if c == nil {
			t.Skip("regular")
		}
		used := make([]int32, len(c.Levels))
		for l := range used {
			used[l] = int32(rapid.IntRange(1, c.Levels[l].Size).Draw(t, "used"))
		}
		last := len(used) - 1
		total := 0
		taken := map[*Node]int{}
		for _, leaf := range c.Blocks(used) {
			for _, block := range leaf {
				total++
				for _, s := range block {
					taken[s.Node] += s.GPUs
				}
			}
		}
		for n, k := range taken {
			if k > n.GPUs {
				t.Fatalf("node %s has %d GPUs in blocks, %d are healthy", n.Name, k, n.GPUs)
			}
		}
		if c.Holds(used) != (total >= int(used[last])) {
			t.Fatalf("%v: %d blocks", used, total)
		}
	})
}

func TestListsWithoutLeavesFillThemInOrder(t *testing.T) {
	for _, c := range []struct {
		nodes string
		sizes []int
		said  string
	}{
		{"gpu[1-40]", []int{8, 20, 2}, "groups of 20 are assumed"},
		{"gpu[1-33]", []int{8, 32, 2}, "33 boxes do not divide into leaf groups of 16 to 32"},
		{"gpu[1-2]", []int{8, 2}, ""},
		{"gpu1", []int{8}, ""},
	} {
		nodes, err := LoadNodes(c.nodes)
		if err != nil {
			t.Fatal(err)
		}
		got, err := LoadWith("h100", nodes)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.sizes(), c.sizes) || !strings.Contains(strings.Join(got.Assumptions, "\n"), c.said) {
			t.Errorf("%s: %v, %q", c.nodes, got.sizes(), got.Assumptions)
		}
	}
}

func FuzzHosts(f *testing.F) {
	for _, list := range []string{"gpu[001-003,7],x", "rack[1-2]n[01-16]", "a,,b", "n[1-", "n[1-999999999]", "x[0-9][0-9][0-9][0-9][0-9][0-9]"} {
		f.Add(list)
	}
	f.Fuzz(func(t *testing.T, list string) {
		names, err := Hosts(list)
		if err != nil {
			return
		}
		if again, err := Hosts(FoldHosts(names)); err != nil || !slices.Equal(again, names) {
			t.Errorf("%q: %v, folded %q: %v, %v", list, names, FoldHosts(names), again, err)
		}
	})
}

func FuzzParseNodes(f *testing.F) {
	for _, text := range []string{topologyFile, "SwitchName=a \\\nNodes=n[1-\\\n9]", "gpu[1-40] 8 leaf1\ngpu41 6 leaf2", "gpu1 slots=4", "g[1-40]", "BlockName=b1 Nodes=n[01-18]", "SwitchName=a Switches=a", "n1 8 a/b\nn2 4 a/c"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		nodes, err := ParseNodes("n.txt", []byte(text))
		if err != nil {
			return
		}
		for _, name := range []string{"h100", "gb200", "a40"} {
			c, err := LoadWith(name, nodes)
			if err != nil {
				continue
			}
			if err := c.Validate(); err != nil {
				t.Fatal(err)
			}
			written, err := c.TOML()
			if err != nil {
				t.Fatal(err)
			}
			again, err := Parse("again.toml", written)
			if err != nil && len(written) < 200_000 || err == nil && (again.GPUs() != c.GPUs() || !slices.Equal(again.sizes(), c.sizes())) {
				t.Fatalf("%v: %s", err, written)
			}
		}
	})
}
