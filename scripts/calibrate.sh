#!/bin/sh
# Fits the free constants of the shipped profiles to the runs in
# testdata/measured/training.csv and writes them into the profiles' files. Takes
# about four minutes on two cores. Bases come before what builds on them.
#
#   scripts/calibrate.sh [PROFILE...]
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- megatron-2022 megatron nanotron torchtitan aa-scaling internevo llm-foundry maxtext megatron-deepspeed
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
for profile; do
	go run ./cmd/meshplan calibrate testdata/measured/training.csv --profile "$profile" -o "$out/$profile.toml"
	mv "$out/$profile.toml" "cost/profile/catalogue/$profile.toml"
done
