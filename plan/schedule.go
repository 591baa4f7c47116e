package plan

// Schedule is the order in which a pipeline rank runs its micro-batches.
type Schedule uint8

// The schedules. From ZBH1 on, a backward may be cut in two: what the rank before
// waits for, the gradient of the chunk's input, and the gradients of its weights,
// which can wait.
const (
	OneFOneB    Schedule = iota // one forward, one backward
	Interleaved                 // 1F1B over several chunks of layers per rank
	GPipe                       // all forwards, then all backwards
	ZBH1                        // 1F1B, or interleaved, whose weight gradients fill the end (arXiv 2401.10241)
	ZBV                         // two chunks a rank in a V: rank r holds chunks r and 2pp-1-r (arXiv 2405.15362)
	DualPipe                    // micro-batches from both ends, each rank with two stages (arXiv 2412.19437)
	DualPipeV                   // one half of DualPipe: its two stages are the chunks of a V
	NumSchedules
)

var scheduleNames = [NumSchedules]string{"1f1b", "interleaved", "gpipe", "zb-h1", "zb-v", "dualpipe", "dualpipev"}

// String is the schedule's name: "1f1b", "zb-v".
func (s Schedule) String() string { return scheduleNames[s] }

// Value is the schedule as a value of ScheduleC, where the chunks per rank tell
// 1F1B from interleaved.
func (s Schedule) Value() int32 { return max(0, int32(s)-1) }

// ScheduleOf is the schedule of a value of ScheduleC and a number of chunks per
// rank.
func ScheduleOf(value, vpp int32) Schedule {
	switch {
	case value > 0 && value < int32(NumSchedules)-1:
		return Schedule(value + 1)
	case vpp > 1:
		return Interleaved
	}
	return OneFOneB
}

// Folded reports whether the first and the last chunk of the model lie on one
// rank: chunk k of n on the same as chunk n-1-k. Of DualPipe, that is rank k and
// its mirror image, rank pp-1-k.
func (s Schedule) Folded() bool { return s >= ZBV }

// Chunks is the only number of chunks per rank that the schedule has, or 0 if it
// has any. The two stages of a DualPipe rank are not chunks of their own: the
// model is cut into pp of them.
func (s Schedule) Chunks() int32 {
	switch s {
	case GPipe, DualPipe:
		return 1
	case ZBV, DualPipeV:
		return 2
	}
	return 0
}
