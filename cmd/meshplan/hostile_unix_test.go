//go:build unix

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestAPipeForAFileDoesNotHang: a cluster file that is a pipe nobody writes to
// is refused.
func TestAPipeForAFileDoesNotHang(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := syscall.Mkfifo("pipe.toml", 0o600); err != nil {
		t.Skip("SKIP: no named pipes here:", err)
	}
	for _, args := range []string{base + " --cluster ./pipe.toml", base + " --model ./pipe.toml", "clusters show ./pipe.toml"} {
		done := make(chan int, 1)
		go func() {
			var out bytes.Buffer
			done <- runContext(context.Background(), strings.Fields(args), strings.NewReader(""), &out, &out)
		}()
		select {
		case code := <-done:
			if code != exitUsage {
				t.Errorf("%s: exit code %d, want %d", args, code, exitUsage)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("%s hangs", args)
		}
	}
}

// TestAJobMayComeThroughAPipe: the shell's <(command) is a pipe with a path.
// Paths in it start from the working directory.
func TestAJobMayComeThroughAPipe(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := syscall.Mkfifo("job.pipe", 0o600); err != nil {
		t.Skip("SKIP: no named pipes here:", err)
	}
	for _, tc := range []struct {
		name, text, want string
		code             int
	}{
		{"a job", good + "no_forced = true\n", "llama-3.1-8b on h100:8", exitAnswer},
		{"a path", "model = \"./missing.toml\"\ncluster = \"h100:8\"\nglobal_batch = 64\nseq = 4096\n", "./missing.toml: no such file", exitUsage},
		{"too much text", strings.Repeat("#", 300<<10), "job.pipe: larger than 256 KiB", exitUsage},
	} {
		t.Run(tc.name, func(t *testing.T) {
			go func() {
				if f, err := os.OpenFile("job.pipe", os.O_WRONLY, 0); err == nil {
					_, _ = f.WriteString(tc.text)
					_ = f.Close()
				}
			}()
			var out bytes.Buffer
			if code := run([]string{"plan", "job.pipe"}, strings.NewReader(""), &out, &out); code != tc.code || !strings.Contains(out.String(), tc.want) {
				t.Errorf("exit code %d, want %d: %.200s", code, tc.code, out.String())
			}
		})
	}
}

// TestWaitingForAJobCanBeInterrupted: a terminal or a pipe that stays silent
// does not keep the program.
func TestWaitingForAJobCanBeInterrupted(t *testing.T) {
	silent, w := io.Pipe()
	defer func() { _ = w.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan int, 1)
	var out bytes.Buffer
	go func() { done <- runContext(ctx, []string{"plan", "-"}, silent, &out, &out) }()
	cancel()
	select {
	case code := <-done:
		if code != exitStopped || !strings.Contains(out.String(), "stopped while reading") {
			t.Errorf("exit code %d: %s", code, out.String())
		}
	case <-time.After(5 * time.Second):
		t.Fatal("still waiting")
	}
}
