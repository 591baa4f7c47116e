package strict

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ReadFile is the text of a regular file of at most limit bytes, a whole
// number of KiB. A directory, a device, a missing and a larger file are errors
// that begin with the path.
func ReadFile(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, pathError(path, err)
	case info.IsDir():
		return nil, fmt.Errorf("%s: is a directory, not a file", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, pathError(path, err)
	}
	defer func() { _ = f.Close() }()
	return Read(path, f, limit)
}

// Read is what the reader holds, without a byte order mark of UTF-8 before it, of at
// most limit bytes, a whole number of KiB; name says what it reads, for errors.
func Read(name string, r io.Reader, limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, pathError(name, err)
	}
	if int64(len(text)) > limit {
		return nil, TooLarge(name, limit)
	}
	return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), nil
}

// pathError is an error of the system without its own mention of the path.
func pathError(path string, err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// TooLarge is the error of a file of more than limit bytes, a whole number of
// KiB.
func TooLarge(name string, limit int64) error {
	if limit%(1<<20) == 0 {
		return fmt.Errorf("%s: larger than %d MiB", name, limit>>20)
	}
	return fmt.Errorf("%s: larger than %d KiB", name, limit>>10)
}
