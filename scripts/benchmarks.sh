#!/bin/sh
# Runs the benchmarks that docs/benchmarks.md speaks of and prints its tables. Takes
# about 20 minutes on two cores with nothing else on them; -short takes one, skips
# the counts of valid plans and stops whole commands early, to see that all run.
#
#   scripts/benchmarks.sh [-short]
set -eu
cd "$(dirname "$0")/.."
out=$(mktemp)
trap 'rm "$out"' EXIT
bench() { go test -run '^$' -timeout 2h "$@" >>"$out" || { cat "$out" >&2; exit 1; }; }
once='Proof/.*/count|LoopsPlain|Pareto|Sizing|Random'
bench ./search -bench 'Proof|First|Forced|Top20|DeepPipeline|Chunks|Reasons|Growth|Levels' -skip '//count' -benchtime 3x "$@"
bench ./search -bench "$once" -benchtime 1x "$@"
bench ./cmd/meshplan -bench Command -benchtime 1x "$@"
bench ./cost -bench . "$@"

# One table a benchmark: a row a problem, a column a way to answer, with the time
# and the figures reported beside it.
awk '
function time(ns) {
	if (ns >= 1e9) return sprintf("%.2f s", ns / 1e9)
	if (ns >= 1e6) return sprintf("%.1f ms", ns / 1e6)
	return sprintf("%.2f us", ns / 1e3)
}
function show(v) {
	return v >= 1e6 ? sprintf("%.3g", v) : v == int(v) ? sprintf("%d", v) : sprintf("%.4g", v)
}
/^Benchmark/ && / ns\/op/ {
	name = $1
	sub(/-[0-9]+$/, "", name)
	sub(/^Benchmark/, "", name)
	n = split(name, part, "/")
	table = part[1]
	row = n > 1 ? part[2] : part[1]
	column = n > 2 ? part[3] : "time"
	for (k = 4; k <= n; k++) column = column " " part[k]
	cell = time($3)
	more = ""
	for (k = 5; k < NF; k += 2) {
		if ($(k + 1) ~ /^(B\/op|allocs\/op|step-s)$/) continue
		more = more (more == "" ? "" : ", ") show($k) " " $(k + 1)
	}
	if (more != "") cell = cell " (" more ")"
	if (!(table in tables)) { tables[table]; order[++count] = table }
	if (!((table, row) in rows)) { rows[table, row]; rowOf[table, ++rowCount[table]] = row }
	if (!((table, column) in columns)) { columns[table, column]; columnOf[table, ++columnCount[table]] = column }
	cells[table, row, column] = cell
}
END {
	for (t = 1; t <= count; t++) {
		table = order[t]
		line = "| " table " |"
		rule = "|---|"
		for (c = 1; c <= columnCount[table]; c++) { line = line " " columnOf[table, c] " |"; rule = rule "---|" }
		print "\n" line "\n" rule
		for (r = 1; r <= rowCount[table]; r++) {
			row = rowOf[table, r]
			line = "| " row " |"
			for (c = 1; c <= columnCount[table]; c++) line = line " " cells[table, row, columnOf[table, c]] " |"
			print line
		}
	}
}' "$out"
