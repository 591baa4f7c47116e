package cluster

import "sync"

// RingRatio is the fraction of the asymptotic bus bandwidth of a NIC-bound
// ring (all-reduce, all-gather, reduce-scatter) that a message of that many
// bytes reaches over a number of nodes of 8 GPUs. bytes is what nccl-tests
// calls the size. bytes / RingRatio, the time, is non-decreasing in bytes and
// in nodes; both are clamped to the table (16 MiB to 16 GiB, 2 to 128 nodes),
// so that below 16 MiB the caller's latency term has to take over.
// Source: aliyun/SimAI nic_ratio.csv.
func RingRatio(bytes, nodes float64) float64 { return ratios().ring.ratio(bytes, nodes) }

// AllToAllRatio is RingRatio for all-to-all (2 to 16 nodes). The source has
// ratios that rise from 2 to 8 nodes; they are pooled, so that more nodes
// never are faster. Source: aliyun/SimAI ata_ratio.csv.
func AllToAllRatio(bytes, nodes float64) float64 { return ratios().alltoall.ratio(bytes, nodes) }

// ratioTable holds bytes / ratio, which is the time at rate 1.
type ratioTable struct{ time *grid }

func (t ratioTable) ratio(bytes, nodes float64) float64 {
	xs := t.time.xs
	bytes = min(max(bytes, xs[0]), xs[len(xs)-1])
	return bytes / t.time.at(bytes, nodes)
}

type ratioTables struct{ ring, alltoall ratioTable }

var ratios = sync.OnceValue(func() ratioTables {
	return ratioTables{ratioTable{readRatios("ring")}, ratioTable{readRatios("alltoall")}}
})
