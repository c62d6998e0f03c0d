"""The tools: one file each, over the kit's ``Workspace``."""
