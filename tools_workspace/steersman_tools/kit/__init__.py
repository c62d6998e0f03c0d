"""What a tool may touch: paths, texts, edits, and the workspace they stand in."""
