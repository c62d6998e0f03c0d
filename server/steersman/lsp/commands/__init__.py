"""The commands of PROTOCOL §2, split by resource. ``table`` lists them all; each handler is one function."""
