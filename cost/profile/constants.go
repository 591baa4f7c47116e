package profile

import (
	"iter"
	"reflect"
)

// constants are the constants by their keys, such as "memory.norm_bytes", in
// the order of the types.
func (p *Profile) constants() iter.Seq2[string, Constant] {
	return func(yield func(string, Constant) bool) {
		for _, section := range []struct {
			name string
			of   reflect.Value
		}{{"memory", reflect.ValueOf(p.Memory)}, {"time", reflect.ValueOf(p.Time)}} {
			for field, value := range section.of.Fields() {
				c, ok := value.Interface().(Constant)
				if ok && !yield(section.name+"."+field.Tag.Get("toml"), c) {
					return
				}
			}
		}
	}
}
