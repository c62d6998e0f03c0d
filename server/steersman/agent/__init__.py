"""The core: the agent loop and the words it is written in.

Nothing in here knows LSP, HTTP, SQL, a file system, a clock or randomness; what it needs of them is passed in.
"""
