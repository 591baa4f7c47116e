package main

import (
	"fmt"
	"strings"

	"meshplan/search"
)

// timetable is the order of operations of each pipeline rank: a rank a line, as
// many of its operations as stand side by side.
func timetable(p *page, t *search.Timetable) {
	p.heading("Schedule %s, operations of each pipeline rank", t.Schedule)
	ranks := [][2]string{{"rank", fmt.Sprintf("%9s  %9s  %5s  order", "begins", "ends", "busy")}}
	widest := len("rank")
	for i := range t.Ranks {
		r := &t.Ranks[i]
		name := fmt.Sprint(r.Rank)
		if r.Mirror != r.Rank {
			name += fmt.Sprintf(" and %d", r.Mirror)
		}
		widest = max(widest, len(name))
		ranks = append(ranks, [2]string{name, fmt.Sprintf("%9s  %9s  %3.0f %%  ", seconds(r.Operations[0].BeginSeconds), seconds(r.Operations[len(r.Operations)-1].EndSeconds), 100*r.BusySeconds/t.Seconds)})
	}
	room := pageWidth - widest - len("      begins       ends  100 %  ")
	for i, line := range ranks {
		if i > 0 {
			line[1] += order(&t.Ranks[i-1], room)
		}
		p.line("  %-*s  %s", widest, line[0], line[1])
	}
	p.hang("  ", timetableNote(t))
}

// order is a rank's operations, each wait before one a dot. Where they do not all
// stand side by side, those of the middle are left out.
func order(r *search.Timeline, room int) string {
	var words []string
	end := 0.0
	for _, o := range r.Operations {
		if o.BeginSeconds > end*(1+1e-9) {
			words = append(words, ".")
		}
		words, end = append(words, o.Name), o.EndSeconds
	}
	if text := strings.Join(words, " "); len(text) <= room {
		return text
	}
	const gap = " ... "
	head, tail := 0, len(words)
	front, back := "", ""
	for head < tail {
		next := strings.TrimSpace(front + " " + words[head])
		if len(next)+len(gap) > room*2/3 {
			break
		}
		front, head = next, head+1
	}
	for head < tail {
		next := strings.TrimSpace(words[tail-1] + " " + back)
		if len(front)+len(gap)+len(next) > room {
			break
		}
		back, tail = next, tail-1
	}
	return front + gap + back
}

// timetableNote says what the letters mean and what was played.
func timetableNote(t *search.Timetable) string {
	note := "F forward, B backward, I its gradient of the input alone, W those of the weights; behind it the micro-batch, " +
		"and the chunk where a rank has several; + side by side, a dot is a wait."
	played := fmt.Sprintf(" Played: all %d micro-batches", t.OfStep)
	if t.MicroBatches < t.OfStep {
		played = fmt.Sprintf(" Played: %d of %d micro-batches, the others repeat the middle", t.MicroBatches, t.OfStep)
	}
	note += played + ", in " + seconds(t.Seconds) + "; --json has every operation with its times."
	if t.Priced != "" {
		note += " Note that " + t.Priced + "."
	}
	return note
}
