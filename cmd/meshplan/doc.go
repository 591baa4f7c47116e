// Meshplan plans how to spread one LLM training job over many GPUs.
//
// The first answer needs no file:
//
//	meshplan plan --model llama-3.1-70b --cluster h100:256 --global-batch 1024 --seq 8192
//
// The verbs are
//
//	plan         find the fastest plan of a job on a cluster, and prove it
//	min-gpus     find the fewest GPUs on which a job fits and meets a goal
//	explain      price one given plan, term by term, and check it against the rules
//	pareto       find the plans among which less memory costs time, and prove them
//	why          say why nothing fits and what helps, or what a pin costs
//	sensitivity  find what matters most to the best plan, and where another becomes it
//	validate     judge the cost model by a table of measured runs
//	calibrate    fit a profile's constants to a table of measured runs
//	models       the models that can be named
//	clusters     the clusters that can be named
//
// Every flag of plan, min-gpus, pareto, why, sensitivity and explain is a key of a job file too:
//
//	model = "llama-3.1-70b"
//	cluster = "h100:256"
//	global_batch = 1024
//	seq = 8192
//
// The result goes to standard output, everything else to standard error. The
// exit code is 0 for an answer, 1 if it is proven that there is none, 2 for
// bad usage or input, 3 for an internal error and 4 for a search that was
// stopped early and printed its best so far.
package main
