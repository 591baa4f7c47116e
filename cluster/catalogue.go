package cluster

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"meshplan/strict"
)

// catalogue is everything the embedded files say.
type catalogue struct {
	gpus        []*GPU
	gpuByName   map[string]*GPU // by plain name or alias
	systems     []*System
	systemNames map[string]*System // by plain name or alias
	systemOf    map[*GPU]*System   // that the GPU's name stands for
	curves      *curves
	collectives map[curveKey]*Curve
	shares      map[string]memoryShare
}

// known is the catalogue, read once. Its files are part of the program, so a
// broken one is a programmer's error that the tests find.
var known = sync.OnceValue(func() *catalogue {
	c := &catalogue{
		gpuByName: map[string]*GPU{}, systemNames: map[string]*System{}, systemOf: map[*GPU]*System{},
		curves: fitCurves(), collectives: collectiveCurves(),
	}
	if err := c.readGPUs(); err != nil {
		panic("cluster: " + err.Error())
	}
	for _, name := range systemFiles {
		if err := c.readSystems(name); err != nil {
			panic("cluster: " + err.Error())
		}
	}
	slices.SortFunc(c.systems, func(a, b *System) int { return strings.Compare(a.Name, b.Name) })
	return c
})

func (c *catalogue) readGPUs() error {
	var file struct {
		GPUs []gpuFile `toml:"gpu"`
	}
	if err := readEmbedded("gpus.toml", &file); err != nil {
		return err
	}
	for i := range file.GPUs {
		g := file.GPUs[i].gpu()
		c.gpus = append(c.gpus, g)
		for _, name := range slices.Concat([]string{g.Name}, g.Aliases) {
			if c.gpuByName[plain(name)] != nil {
				return fmt.Errorf("gpus.toml: %q is the name of two GPUs", name)
			}
			c.gpuByName[plain(name)] = g
		}
	}
	c.shares = runtimeShares(c.gpus)
	for _, g := range c.gpus {
		if err := c.finish(g); err != nil {
			return err
		}
	}
	return nil
}

// finish completes a GPU that was read from a file: its memory and its
// curves.
func (c *catalogue) finish(g *GPU) error {
	if err := g.validate(); err != nil {
		return err
	}
	if g.Runtime == 0 {
		g.assumeRuntime(c.shares)
	}
	return c.curves.attach(g, c.gpu)
}

// gpu is the GPU of a name or alias, nil when there is none.
func (c *catalogue) gpu(name string) *GPU { return c.gpuByName[plain(name)] }

// systemFiles are read in this order: machines, instances that clouds rent,
// and computing centres.
var systemFiles = []string{"systems.toml", "clouds.toml", "sites.toml"}

func (c *catalogue) readSystems(name string) error {
	var file struct {
		Systems []systemFile `toml:"system"`
	}
	if err := readEmbedded(name, &file); err != nil {
		return err
	}
	for i := range file.Systems {
		s, err := file.Systems[i].system(c)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		c.systems = append(c.systems, s)
		if c.systemOf[s.GPU] == nil {
			c.systemOf[s.GPU] = s
		}
		for _, alias := range slices.Concat([]string{s.Name}, s.Aliases) {
			if c.systemNames[plain(alias)] != nil {
				return fmt.Errorf("%s: %q is the name of two systems", name, alias)
			}
			c.systemNames[plain(alias)] = s
		}
	}
	return nil
}

// system is the one with that name or alias, else that of the GPU so named;
// nil when there is none.
func (c *catalogue) system(name string) *System {
	if s := c.systemNames[plain(name)]; s != nil {
		return s
	}
	return c.systemOf[c.gpuByName[plain(name)]]
}

func readEmbedded(name string, into any) error {
	text, err := files.ReadFile("catalogue/" + name)
	if err != nil {
		return err
	}
	_, err = strict.Decode(name, text, into)
	return err
}

// All is the catalogue of systems, by name.
func All() []*System { return slices.Clone(known().systems) }

// Names are the names of the catalogue's systems, sorted.
func Names() []string {
	var names []string
	for _, s := range known().systems {
		names = append(names, s.Name)
	}
	return names
}

// GPUs is the catalogue of GPU kinds, in its own order.
func GPUs() []*GPU { return slices.Clone(known().gpus) }

// FindGPU is the GPU of the catalogue with that name or alias, in any
// spelling; the error names the nearest.
func FindGPU(name string) (*GPU, error) {
	c := known()
	if g := c.gpuByName[plain(name)]; g != nil {
		return g, nil
	}
	var names []string
	for _, g := range c.gpus {
		names = append(names, g.Name)
	}
	return nil, fmt.Errorf("unknown GPU %q%s", strict.Clip(name, 60), strict.Suggest(name, names, 3, plain))
}
