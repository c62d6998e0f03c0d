"""A session as one self-contained HTML page: no script, no network, nothing of the conversation that comes alive."""
