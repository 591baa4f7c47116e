package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// onceOnly refuses a flag that is given twice, of which all but the last value would
// be lost, for every flag of the commands but lists.
func onceOnly(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if v, ok := f.Value.(*flagValue); !ok || v.field.kind != list {
			f.Value = &once{Value: f.Value, flag: f.Name}
		}
	})
	for _, sub := range c.Commands() {
		onceOnly(sub)
	}
}

// once is a flag's value that can be set once.
type once struct {
	pflag.Value
	flag  string
	given *string
}

// Set sets the value the first time.
func (o *once) Set(value string) error {
	if o.given != nil {
		return &twiceError{o.flag, *o.given, value}
	}
	o.given = &value
	return o.Value.Set(value)
}

// twiceError is a flag that is given twice.
type twiceError struct{ flag, first, second string }

func (e *twiceError) Error() string {
	if e.first == e.second {
		return fmt.Sprintf("--%s is given twice", e.flag)
	}
	return fmt.Sprintf("--%s is given twice: as %q and as %q; give it once", e.flag, clipped(e.first), clipped(e.second))
}
