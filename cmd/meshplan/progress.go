package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"meshplan/search"
	"meshplan/units"
)

// How long a search runs before its progress is shown, and how often then.
const (
	progressAfter = time.Second
	progressEvery = 200 * time.Millisecond
)

// meter shows the progress of a search as one line of a terminal that is
// overwritten and cleared at the end. It shows nothing in a pipe or a file.
type meter struct {
	w     io.Writer
	on    bool
	start time.Time

	mu    sync.Mutex // searches report from several goroutines
	last  time.Time
	width int
}

func newMeter(w io.Writer) *meter {
	f, ok := w.(*os.File)
	return &meter{w: w, on: ok && term.IsTerminal(int(f.Fd())), start: time.Now()}
}

// show overwrites the line with the state of the search.
func (m *meter) show(p search.Progress) {
	now := time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.on || now.Sub(m.start) < progressAfter || now.Sub(m.last) < progressEvery {
		return
	}
	m.last = now
	m.print(progressLine(now.Sub(m.start), p))
}

// clear removes the line.
func (m *meter) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.width > 0 {
		fmt.Fprintf(m.w, "\r%s\r", strings.Repeat(" ", m.width))
		m.width = 0
	}
}

// print overwrites the line; what is left of a longer one is blanked.
func (m *meter) print(line string) {
	fmt.Fprintf(m.w, "\r%-*s", m.width, line)
	m.width = max(m.width, len(line))
}

// progressLine is what the line says.
func progressLine(elapsed time.Duration, p search.Progress) string {
	line := fmt.Sprintf("%ds, %s boxes bounded", int(elapsed.Seconds()), units.Grouped(p.Nodes))
	if p.Best > 0 {
		line += fmt.Sprintf(", best so far %v", p.Best)
	}
	if p.Bound > 0 {
		line += fmt.Sprintf(", none below %v", p.Bound)
	}
	return line
}
