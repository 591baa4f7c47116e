package strict

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
)

// wanted names the TOML values that a type is read from.
func wanted(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t.Kind() == reflect.Slice && table(t) != nil:
		return "a list of tables"
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String:
		return "a list of strings only"
	case t.Kind() == reflect.Slice:
		return "a list of numbers only"
	case table(t) != nil:
		return "a table"
	case readsText(t) || t.Kind() == reflect.String:
		return "a string"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Float64:
		return "a number"
	}
	return "a whole number"
}

// shown is a value as an error quotes it.
func shown(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(Clip(v, 60))
	case int64, bool:
		return fmt.Sprint(v)
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1e15 {
			return strconv.FormatFloat(v, 'f', 1, 64) // 2.0 is no whole number
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	case map[string]any:
		return "a table"
	case []any, []map[string]any:
		return "a list"
	}
	return "a date"
}
