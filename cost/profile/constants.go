package profile

import (
	"iter"
	"reflect"
)

// constants are the constants by their keys, such as "memory.norm_bytes", in
// the order of the types.
func (p *Profile) constants() iter.Seq2[string, *Constant] {
	return keyed[Constant](&p.Memory, &p.Time)
}

// switches are what a profile answers with yes or no, by their keys, such as
// "memory.flash_attention".
func (p *Profile) switches() iter.Seq2[string, *bool] { return keyed[bool](&p.Memory, &p.Time) }

// constant is the constant of a key, nil where there is none.
func (p *Profile) constant(key string) *Constant {
	for k, c := range p.constants() {
		if k == key {
			return c
		}
	}
	return nil
}

// keyed are the fields of one type in the two sections.
func keyed[T any](memory *Memory, time *Time) iter.Seq2[string, *T] {
	return func(yield func(string, *T) bool) {
		for _, section := range []struct {
			name string
			of   reflect.Value
		}{{"memory", reflect.ValueOf(memory).Elem()}, {"time", reflect.ValueOf(time).Elem()}} {
			for field, value := range section.of.Fields() {
				c, ok := value.Addr().Interface().(*T)
				if ok && !yield(section.name+"."+field.Tag.Get("toml"), c) {
					return
				}
			}
		}
	}
}
