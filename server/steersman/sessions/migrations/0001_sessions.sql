-- Sessions, their messages, start markers of calls, and what each response used.
-- Written for SQLite 3.34 and later: no STRICT tables, no RETURNING.

CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE session (
    key INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used twice: a holder that slept must not meet a newer session
    id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    folder TEXT NOT NULL,
    model TEXT NOT NULL DEFAULT '',
    parent_id TEXT,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    activity INTEGER NOT NULL,              -- counts up in the whole store: the order of lists, whatever the clock does
    messages INTEGER NOT NULL DEFAULT 0,    -- of the present conversation
    next_seq INTEGER NOT NULL DEFAULT 0,
    generation INTEGER NOT NULL DEFAULT 0,  -- counts the holders; a write of an older one is refused
    lock_epoch INTEGER NOT NULL DEFAULT 0,  -- counts the takeovers; names the lock file
    holder TEXT,                            -- JSON, while held; stays behind after a crash
    input_tokens INTEGER NOT NULL DEFAULT 0,
    cached_input_tokens INTEGER NOT NULL DEFAULT 0,
    cache_write_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0,
    reasoning_tokens INTEGER NOT NULL DEFAULT 0,
    estimated INTEGER NOT NULL DEFAULT 0,
    cost REAL
);

CREATE INDEX session_activity ON session (activity);

CREATE TABLE message (
    id INTEGER PRIMARY KEY AUTOINCREMENT,   -- order of commit in the whole store; what the search index points at
    session INTEGER NOT NULL REFERENCES session (key) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool')),
    created_at REAL NOT NULL,
    content TEXT NOT NULL,
    call_id TEXT,                           -- of a tool message
    extra TEXT,                             -- JSON of the other fields that are not the default
    words TEXT,                             -- what a search finds besides the content
    UNIQUE (session, seq)
);

CREATE TABLE call_start (
    session INTEGER NOT NULL REFERENCES session (key) ON DELETE CASCADE,
    seq INTEGER NOT NULL,                   -- of the assistant message that made the call
    call_id TEXT NOT NULL,
    effects INTEGER NOT NULL,               -- 1: it does more than read
    started_at REAL NOT NULL,
    PRIMARY KEY (session, seq, call_id)
) WITHOUT ROWID;

CREATE TABLE response (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session (key) ON DELETE CASCADE,
    run_id TEXT NOT NULL,
    turn INTEGER NOT NULL,
    at REAL NOT NULL,
    input_tokens INTEGER NOT NULL,
    cached_input_tokens INTEGER NOT NULL,
    cache_write_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL,
    estimated INTEGER NOT NULL,
    cost REAL
);

CREATE INDEX response_session ON response (session);
