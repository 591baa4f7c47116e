package models

// Sane upper limits of a model's sizes: beyond them a number is a typing error
// rather than a model, and below them no count overflows.
const (
	maxLayers     = 10_000
	maxHidden     = 1_000_000
	maxHeads      = 100_000
	maxWidth      = 10_000_000
	maxVocab      = 10_000_000
	maxExperts    = 100_000
	maxPositions  = 1_000_000_000
	maxOffset     = 1000
	maxExpansion  = 1000
	maxMerge      = 100
	maxPatches    = 1_000_000
	maxImage      = 100_000
	maxVision     = 1_000_000_000_000
	maxMTP        = 100
	maxParameters = 1e17
)
