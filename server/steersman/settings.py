"""What may be configured, from where, and which source may set what."""
