package measured

import "meshplan/cost/profile"

// fittedConstants is how many constants of a profile file were fitted to measured
// runs, for all profiles that it makes; reports show it beside the errors.
func fittedConstants(file *profile.Profile) int {
	if file.Calibrated == "" {
		return 0
	}
	return len(file.Parameters())
}
