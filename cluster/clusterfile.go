package cluster

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/BurntSushi/toml"

	"meshplan/strict"
	"meshplan/units"
)

const micro = 1e-6

// clusterFile is a cluster as a user's file writes it: either gpu names one
// of the catalogue or the table own_gpu gives its figures.
type clusterFile struct {
	Name        string      `toml:"name,omitempty"`
	Aliases     []string    `toml:"aliases,omitempty"`
	GPU         string      `toml:"gpu,omitempty"`
	GPUsPerNode int         `toml:"gpus_per_node,omitzero"`
	NICsPerNode int         `toml:"nics_per_node,omitzero"`
	HostMemory  size        `toml:"host_memory,omitzero"`
	HostLink    rate        `toml:"host_link,omitzero"`
	NVLS        rate        `toml:"nvls,omitzero"`
	NVLSRanks   int         `toml:"nvls_ranks,omitzero"`
	Collectives string      `toml:"collectives,omitempty"`
	Assumptions []string    `toml:"assumptions,omitempty"`
	Levels      []levelFile `toml:"level"`
	Leaves      []leafFile  `toml:"leaf,omitempty"`
	Nodes       []nodeFile  `toml:"node,omitempty"`
	OwnGPU      *gpuFile    `toml:"own_gpu"`
}

// levelFile is one level; oversubscription is 1 where it is left out.
type levelFile struct {
	Name             string   `toml:"name"`
	Size             int      `toml:"size,omitzero"`
	Bandwidth        *rate    `toml:"bandwidth"`
	LatencyUS        float64  `toml:"latency_us"`
	Oversubscription *float64 `toml:"oversubscription"`
	Mesh             bool     `toml:"mesh,omitempty"`
}

func (f *levelFile) level() (Level, error) {
	l := Level{Name: f.Name, Size: f.Size, Latency: units.Seconds(f.LatencyUS * micro), Oversubscription: 1, Mesh: f.Mesh}
	if f.Oversubscription != nil {
		l.Oversubscription = *f.Oversubscription
	}
	if f.Bandwidth == nil {
		return l, errors.New("needs a bandwidth, for example 400Gb/s")
	}
	l.Bandwidth = units.BytesPerSecond(*f.Bandwidth)
	return l, nil
}

// levels reads the levels of a file, innermost first.
func levels(files []levelFile) (list []Level, err error) {
	for i := range files {
		l, err := files[i].level()
		if err != nil {
			return nil, wrong(levelKey(i, "bandwidth"), "level %d (%s): %v", i+1, strict.Clip(l.Name, 40), err)
		}
		list = append(list, l)
	}
	return list, nil
}

func (f *clusterFile) cluster(doc *strict.Doc) (*Cluster, error) {
	g, err := f.gpu()
	if err != nil {
		return nil, err
	}
	c := &Cluster{
		Name: f.Name, Aliases: f.Aliases, GPU: g, GPUsPerNode: f.GPUsPerNode, NICsPerNode: f.NICsPerNode,
		HostMemory: units.Bytes(f.HostMemory), HostLink: units.BytesPerSecond(f.HostLink),
		NVLS: units.BytesPerSecond(f.NVLS), NVLSRanks: f.NVLSRanks,
		Collectives: f.Collectives, Assumptions: f.Assumptions,
	}
	if c.Levels, err = levels(f.Levels); err != nil {
		return nil, err
	}
	if !doc.Has("gpus_per_node") && len(c.Levels) > 0 {
		c.GPUsPerNode = c.Levels[0].Size
		c.Assumptions = append(c.Assumptions, fmt.Sprintf("gpus_per_node is not given: %d, the size of the innermost level", c.GPUsPerNode))
	}
	for _, a := range g.Assumptions {
		c.assumeOnce(a)
	}
	return c, nil
}

func (c *Cluster) assumeOnce(sentence string) {
	for _, a := range c.Assumptions {
		if a == sentence {
			return
		}
	}
	c.Assumptions = append(c.Assumptions, sentence)
}

// gpu is the GPU that the file names or describes.
func (f *clusterFile) gpu() (*GPU, error) {
	switch {
	case f.GPU != "" && f.OwnGPU != nil:
		return nil, wrong("gpu", "gpu = %q and the table own_gpu: want one of them", strict.Clip(f.GPU, 60))
	case f.GPU != "":
		g, err := FindGPU(f.GPU)
		if err != nil {
			return nil, wrong("gpu", "%v", err)
		}
		return g, nil
	case f.OwnGPU == nil:
		return nil, errors.New(`no GPU: want gpu = "NAME" of the catalogue or a table own_gpu`)
	}
	return ownGPU(f.OwnGPU)
}

// defaultLike is the GPU whose curves stand for a user's GPU that names none.
const defaultLike = "H100-SXM"

func ownGPU(f *gpuFile) (*GPU, error) {
	g := f.gpu()
	c := known()
	if g.GEMMLike == "" && c.curves.gemm[g.Name] == nil {
		g.GEMMLike = defaultLike
	}
	if g.AttentionLike == "" && c.curves.attention[g.Name] == nil {
		g.AttentionLike = defaultLike
	}
	return g, c.finish(g)
}

// TOML is the cluster as a cluster file: Parse reads the same cluster from
// it. A GPU of the catalogue is written by name. A cluster whose measured
// collectives With has scaled cannot be written.
func (c *Cluster) TOML() ([]byte, error) {
	if c.Collectives != "" && c.collectives != (scaling{}) {
		return nil, fmt.Errorf("cluster %s: scaled collectives have no name in a file", c.Name)
	}
	m := c.Machines
	if m != nil {
		full := *m.of
		full.Name = c.Name
		c = &full
	}
	f := clusterFile{
		Name: c.Name, Aliases: c.Aliases, GPUsPerNode: c.GPUsPerNode, NICsPerNode: c.NICsPerNode,
		HostMemory: size(c.HostMemory), HostLink: rate(c.HostLink), NVLS: rate(c.NVLS), NVLSRanks: c.NVLSRanks,
		Collectives: c.Collectives, Assumptions: c.Assumptions,
	}
	if g, err := FindGPU(c.GPU.Name); err == nil && g == c.GPU {
		f.GPU = g.Name
	} else {
		f.OwnGPU = c.GPU.file()
	}
	for _, l := range c.Levels {
		bandwidth := rate(l.Bandwidth)
		f.Levels = append(f.Levels, levelFile{l.Name, l.Size, &bandwidth, decimal(float64(l.Latency), micro), &l.Oversubscription, l.Mesh})
	}
	if m != nil {
		f.Leaves, f.Nodes = m.tables()
	}
	var out bytes.Buffer
	enc := toml.NewEncoder(&out)
	enc.Indent = ""
	if err := enc.Encode(f); err != nil {
		return nil, fmt.Errorf("cluster %s: %w", c.Name, err)
	}
	return out.Bytes(), nil
}
