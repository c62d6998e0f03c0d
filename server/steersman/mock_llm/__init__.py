"""The rule-based model served over HTTP, OpenAI-compatible (DESIGN M7)."""
