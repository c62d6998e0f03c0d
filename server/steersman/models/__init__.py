"""Model providers: one file a wire format, each mapping it to the same events."""
