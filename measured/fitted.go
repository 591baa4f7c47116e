package measured

import "meshplan/cost/profile"

// fittedConstants is how many constants of the profile were fitted to measured
// runs; reports show it beside the errors.
func fittedConstants(p *profile.Profile) int {
	if p.Calibrated == "" {
		return 0
	}
	return len(p.Parameters())
}
