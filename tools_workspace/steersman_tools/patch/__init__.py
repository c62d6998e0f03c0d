"""The multi-file patch formats: read from text, and applied to texts (DESIGN W6). Nothing in here touches a file."""
