package profile

import (
	"errors"
	"fmt"
	"math"
)

// maxConstant is the most that any constant can be, of bytes, parameters,
// seconds or factors; the largest that a profile has is about 1e9. Without it
// products of constants overflow.
const maxConstant = 1e12

// limit is the range of a constant that is narrower than 0 to maxConstant.
type limit struct {
	least, most float64
	above       bool // least itself is not allowed
}

// limits are those ranges by the keys of their constants.
var limits = map[string]limit{
	"memory.reserved_ratio":        {least: 1, most: maxConstant}, // what is reserved holds what is allocated
	"memory.vocab_multiple":        {least: 1, most: maxConstant},
	"memory.fit_margin":            {most: math.Nextafter(1, 0)},
	"memory.refuse_margin":         {most: 1},
	"time.attention_slowdown":      {most: 100, above: true},
	"time.gemm_slowdown":           {most: 100, above: true},
	"time.misaligned_slowdown":     {least: 1, most: 100},
	"time.grouped_gemm_slowdown":   {most: 100, above: true},
	"time.tp_slowdown":             {most: 100, above: true},
	"time.tp_wide_slowdown":        {least: 1, most: 100},
	"time.jitter":                  {most: 1},
	"time.anchor":                  {most: 1000, above: true},
	"time.ring_exposed":            {most: 1},
	"time.context_imbalance":       {most: 1},
	"time.once_exposed":            {most: 1},
	"time.unit_exposed":            {most: 1},
	"time.gemm_backward":           {least: 1, most: maxConstant}, // a gradient takes a GEMM as large as the forward one
	"time.attention_backward":      {least: 1, most: maxConstant},
	"time.fp8_gemm_share":          {most: 1, above: true},
	"time.tp_exposed":              {most: 1},
	"time.ep_exposed":              {most: 1},
	"time.p2p_exposed":             {most: 1},
	"time.p2p_exposed_interleaved": {most: 1},
	"time.grad_overlap":            {most: 1},
	"time.param_overlap":           {most: 1},
	"time.unit_overlap":            {most: 1},
}

// rateLimit is the range of rates: a share of a curve that nothing reaches, or
// of nothing, is a typing error.
var rateLimit = limit{least: 0.01, most: 100}

// validate checks the value, and that there is a source.
func (c Constant) validate(key string) error {
	l, narrower := limits[key]
	if !narrower {
		l.most = maxConstant
	}
	return c.within(&l)
}

// within checks the value against a range, and that there is a source.
func (c Constant) within(l *limit) error {
	switch {
	case !sane(c.Value):
		return fmt.Errorf("is %g: want a number of at least 0", c.Value)
	case c.Source == "":
		return errors.New("has no source")
	case l.above && c.Value <= l.least:
		return fmt.Errorf("is %g: want more than %g", c.Value, l.least)
	case c.Value < l.least:
		return fmt.Errorf("is %g: want at least %g", c.Value, l.least)
	case c.Value > l.most && l.most < 1:
		return fmt.Errorf("is %g: want a share below 1", c.Value)
	case c.Value > l.most && l.most == 1:
		return fmt.Errorf("is %g: want a share of at most 1", c.Value)
	case c.Value > l.most:
		return fmt.Errorf("is %g: want at most %g", c.Value, l.most)
	}
	return c.validateRange(l)
}

// validatePrior checks that a prior has its range; one of a base has none.
func (c Constant) validatePrior() error {
	if c.Prior != 0 && c.Low == 0 && c.High == 0 {
		return fmt.Errorf("has the prior %g alone: want low and high beside it", c.Prior)
	}
	return nil
}

// validateRange checks what a constant says about being fitted.
func (c Constant) validateRange(l *limit) error {
	switch {
	case c.Low == 0 && c.High == 0:
		return nil
	case !(c.Low > 0 && c.Low < c.Prior && c.Prior < c.High && c.High <= maxConstant):
		return fmt.Errorf("has the prior %g between %g and %g: want low < prior < high, all above 0", c.Prior, c.Low, c.High)
	case c.Low < l.least || c.High > l.most:
		return fmt.Errorf("may be fitted from %g to %g: want a range within %g to %g", c.Low, c.High, l.least, l.most)
	case c.Value < c.Low || c.Value > c.High:
		return fmt.Errorf("is %g: want a value in its own range from %g to %g", c.Value, c.Low, c.High)
	}
	return nil
}
