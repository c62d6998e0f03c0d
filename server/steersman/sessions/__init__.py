"""What is remembered: sessions, their messages, markers, locks and checkpoints, on SQLite."""
