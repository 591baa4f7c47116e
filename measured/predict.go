package measured

import (
	"context"
	"math"
	"runtime"
	"strings"
	"sync"

	"meshplan/cost"
	"meshplan/cost/profile"
	"meshplan/models"
	"meshplan/plan"
	"meshplan/units"
)

// prediction is what the cost model says of a row's setup.
type prediction struct {
	plan     plan.Plan
	text     string // of the plan
	seconds  float64
	memory   map[reading]float64 // bytes, by how they are read
	verdict  cost.Verdict
	defaults defaults
	profile  string
	generic  bool

	tokens, gpus  float64 // of a step
	model         *models.Model
	workload      plan.Workload
	flops         profile.FLOPCount
	least         float64 // seconds of the model's FLOPs at the peak rate
	deviceMemory  float64 // bytes
	modelParallel int64   // tp*pp

	gpu       string      // name in the catalogue
	shares    []TermShare // of the step
	file      string      // of the profile
	constants int         // of the file that were fitted to measured runs

	job   *job
	price *cost.Model
}

// predicted is a prediction or why there is none.
type predicted struct {
	prediction
	skip *skip
}

// predictAll prices the setups. Rows that need the same price model share it,
// and equal setups are priced once.
func predictAll(ctx context.Context, profiles families, setups []*setup, kind Kind) ([]predicted, error) {
	l := newLookup(profiles)
	out, jobs := make([]predicted, len(setups)), make([]*job, len(setups))
	groups, same := map[string][]int{}, map[setup]int{}
	var order []string
	for i, s := range setups {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if _, repeated := same[*s]; repeated {
			continue
		}
		same[*s] = i
		if jobs[i], out[i].skip = jobOf(l, s, kind); out[i].skip != nil {
			continue
		}
		k := jobs[i].key()
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], i)
	}
	parallel(ctx, order, func(k string) { priceGroup(jobs, groups[k], out) })
	for i, s := range setups {
		out[i] = out[same[*s]]
	}
	return out, ctx.Err()
}

// parallel calls do for every item, on as many goroutines as there are cores.
// Once the context is done it begins no other. A panic of one is raised again
// by the caller's goroutine.
func parallel(ctx context.Context, items []string, do func(string)) {
	var wg sync.WaitGroup
	var once sync.Once
	var broken any
	next := make(chan string)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for item := range next {
				func() {
					defer func() {
						if r := recover(); r != nil {
							once.Do(func() { broken = r })
						}
					}()
					do(item)
				}()
			}
		})
	}
	for _, item := range items {
		if ctx.Err() != nil {
			break
		}
		next <- item
	}
	close(next)
	wg.Wait()
	if broken != nil {
		panic(broken)
	}
}

// priceGroup prices rows of one price model.
func priceGroup(jobs []*job, rows []int, out []predicted) {
	f := &jobs[rows[0]].facts
	m, err := cost.New(f.Model, f.Cluster, f.Workload, jobs[rows[0]].of.profile)
	for _, i := range rows {
		if err != nil {
			out[i].skip = skipped(NoPlan, "%v", err)
			continue
		}
		out[i].prediction, out[i].skip = priced(m, jobs[i])
	}
}

// price prices the job's plan.
func price(m *cost.Model, j *job) (prediction, *skip) {
	full := j.plan
	e := m.Explain(&full)
	if len(e.Stages) == 0 {
		return prediction{}, skipped(NoPlan, "%s", strings.Join(e.Warnings, "; "))
	}
	f := &j.facts
	gpus := float64(full.Placement.GPUs())
	p := prediction{
		plan: full, text: full.String(), seconds: nanoseconds(e.Step), verdict: e.Verdict,
		memory: map[reading]float64{
			allocated: float64(e.Allocated), reserved: float64(e.Peak),
			device: float64(e.Peak) + float64(f.Cluster.GPU.Runtime-e.Usable),
		},
		defaults: j.defaults, profile: j.of.profile.Name, generic: j.of.generic,
		tokens: f.Workload.TokensPerStep(), gpus: gpus, model: f.Model, workload: f.Workload, flops: j.of.flops,
		deviceMemory:  float64(max(f.Cluster.GPU.Label, f.Cluster.GPU.Runtime)),
		modelParallel: int64(full.Placement.Degree(plan.TP)) * int64(full.Placement.Degree(plan.PP)),
		gpu:           f.Cluster.GPU.Name, shares: sharesOf(&e.Time), file: j.of.file.Name, constants: fittedConstants(j.of.file),
	}
	p.job, p.price = j, m
	rate := float64(cost.Rate(f.Cluster.GPU, f.Workload.Precision))
	p.least = p.tokens * float64(f.Model.FLOPsPerToken(int(f.Workload.SeqLen))) / (gpus * rate)
	return p, nil
}

// nanoseconds rounds a time to the precision at which plans are compared.
func nanoseconds(s units.Seconds) float64 { return math.Round(float64(s)*1e9) / 1e9 }
