package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// settingError is a value that a field refuses.
type settingError struct {
	flag, value string
	err         error
}

func (e *settingError) Error() string {
	if strings.HasPrefix(e.err.Error(), e.value+": ") { // of a list of one
		return fmt.Sprintf("--%s %v", e.flag, e.err)
	}
	return fmt.Sprintf("--%s %q: %v", e.flag, clipped(e.value), e.err)
}

// flagError words what is wrong with a command's flags.
func flagError(c *cobra.Command, err error) error {
	if s, ok := errors.AsType[*settingError](err); ok {
		return usageError(s)
	}
	if t, ok := errors.AsType[*twiceError](err); ok {
		return usageError(t)
	}
	if u, ok := errors.AsType[namedFlag](err); ok && c.Flags().Lookup(u.GetSpecifiedName()) == nil {
		return badUsage("unknown flag --%s of %s%s", clipped(u.GetSpecifiedName()), c.CommandPath(),
			suggestion(u.GetSpecifiedName(), flagNames(c)))
	}
	return usageError(err)
}

// namedFlag is the flag reader's error about a flag that does not exist or
// lacks its value.
type namedFlag interface {
	error
	GetSpecifiedName() string
}

// flagNames are the flags of a command.
func flagNames(c *cobra.Command) []string {
	candidates := []string{"help", "toml", "rows", "by", "refit", "unfitted", "output", "anchor"}
	for i := range fields {
		candidates = append(candidates, fields[i].name)
	}
	return slices.DeleteFunc(candidates, func(name string) bool { return c.Flags().Lookup(name) == nil })
}
