-- Spans of time in runs, for the timeline of an export. Losing the last few in a crash is no harm.

CREATE TABLE timing (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session (key) ON DELETE CASCADE,
    run_id TEXT NOT NULL,
    turn INTEGER NOT NULL,
    kind TEXT NOT NULL,
    started REAL NOT NULL,
    ended REAL NOT NULL,
    call_id TEXT,
    label TEXT NOT NULL
);

CREATE INDEX timing_session ON timing (session);
