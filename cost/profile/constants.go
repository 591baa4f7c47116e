package profile

import (
	"iter"
	"reflect"
)

// constants are the constants by their keys, such as "memory.norm_bytes", in
// the order of the types.
func (p *Profile) constants() iter.Seq2[string, Constant] { return keyed[Constant](p) }

// switches are what a profile answers with yes or no, by their keys, such as
// "memory.flash_attention".
func (p *Profile) switches() iter.Seq2[string, bool] { return keyed[bool](p) }

// keyed are the fields of one type in the two sections.
func keyed[T any](p *Profile) iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for _, section := range []struct {
			name string
			of   reflect.Value
		}{{"memory", reflect.ValueOf(p.Memory)}, {"time", reflect.ValueOf(p.Time)}} {
			for field, value := range section.of.Fields() {
				c, ok := value.Interface().(T)
				if ok && !yield(section.name+"."+field.Tag.Get("toml"), c) {
					return
				}
			}
		}
	}
}
