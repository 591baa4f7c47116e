package main

import "meshplan/strict"

// suggestion ends the error of an unknown name with the nearest known one, or
// with the known ones where none is near.
func suggestion(given string, known []string) string { return strict.Suggest(given, known, 1, nil) }

// clipped is what the user gave, as an error quotes it.
func clipped(given string) string { return strict.Clip(given, 60) }
