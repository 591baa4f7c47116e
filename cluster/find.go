package cluster

import (
	"fmt"
	"strconv"
	"strings"

	"meshplan/strict"
)

// Find makes a cluster of a catalogue system and a GPU count, "h100:256".
// The name may be an alias or that of a GPU (see SystemOf), in any spelling.
// Errors name the nearest systems or the nearest valid counts.
func Find(spec string) (*Cluster, error) {
	name, count, hasCount := strings.Cut(strings.TrimSpace(spec), ":")
	if name == "" {
		return nil, fmt.Errorf("cluster %q names no system: want NAME:GPUS, for example h100:256", strict.Clip(spec, 60))
	}
	shown := strict.Clip(spec, 60)
	s := known().system(name)
	if s == nil {
		return nil, fmt.Errorf("unknown cluster %q%s", shown, strict.Suggest(name, Names(), 3, plain))
	}
	if !hasCount || strings.TrimSpace(count) == "" {
		return nil, fmt.Errorf("cluster %q has no GPU count: want %s:GPUS, for example %s:%d", shown, s.Name, s.Name, s.Box())
	}
	n, err := parseCount(count)
	switch {
	case err != nil && n == 0:
		return nil, fmt.Errorf("cluster %q: %w, for example %s:%d", shown, err, s.Name, s.Box())
	case err != nil:
		return nil, fmt.Errorf("cluster %q: %w; nearest: %s:%d", shown, err, s.Name, s.atMost(n))
	}
	c, err := s.Cluster(n)
	if err != nil {
		return nil, fmt.Errorf("cluster %q: %w", shown, err)
	}
	return c, nil
}

// parseCount reads a GPU count from 1 to MaxGPUs; outside these the count beside
// the error is the nearer one, and 0 where there is no count.
func parseCount(text string) (int, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if numError, ok := err.(*strconv.NumError); ok && numError.Err == strconv.ErrSyntax {
		return 0, fmt.Errorf("GPU count %q is not a whole number", strict.Clip(text, 30))
	}
	if err != nil || n < 1 || n > MaxGPUs {
		return int(clamp(n, 1, MaxGPUs)), fmt.Errorf("GPU count %s is outside 1 to %d", strict.Clip(text, 30), MaxGPUs)
	}
	return int(n), nil
}
