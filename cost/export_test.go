package cost

// OnPage holds that docs/accuracy.md shows the figures of a block.
var OnPage = onPage
