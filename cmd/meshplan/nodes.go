package main

import (
	"fmt"

	"meshplan/cluster"
)

// clusterOf looks up a cluster, with the nodes of a list if there is one and
// their switches from a topology.
func clusterOf(name, list, topology string) (*cluster.Cluster, error) {
	switch {
	case list == "" && topology == "":
		return cluster.Load(name)
	case list == "":
		list, topology = topology, ""
	}
	nodes, err := cluster.LoadNodes(list)
	if err != nil {
		return nil, fmt.Errorf("nodes: %w", err)
	}
	if topology != "" {
		switches, err := cluster.LoadNodes(topology)
		if err == nil {
			nodes, err = cluster.WithTopology(nodes, switches)
		}
		if err != nil {
			return nil, fmt.Errorf("topology: %w", err)
		}
	}
	return cluster.LoadWith(name, nodes)
}

// kindOf looks up what clusters of any size are made of.
func kindOf(j *job) (*cluster.Kind, error) {
	if j.nodes == "" && j.topology == "" {
		return cluster.LoadKind(j.cluster)
	}
	c, err := clusterOf(j.cluster, j.nodes, j.topology)
	if err != nil {
		return nil, err
	}
	return cluster.KindOf(c), nil
}
