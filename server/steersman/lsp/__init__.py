"""The LSP face: the only place that knows pygls and lsprotocol."""
