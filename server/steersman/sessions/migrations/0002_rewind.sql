-- Conversations that were rewound, and what is needed to take file changes back.

-- The conversation is made of the spans of the session's latest row; no row: all of its messages.
CREATE TABLE head (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES session (key) ON DELETE CASCADE,
    segments TEXT NOT NULL,                 -- JSON: [[first, last], …, [first, null]]
    at REAL NOT NULL
);

CREATE INDEX head_session ON head (session);

CREATE TABLE rewind (
    id TEXT PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session (key) ON DELETE CASCADE,
    at REAL NOT NULL,
    next_seq INTEGER NOT NULL,              -- the number of the next message when it was made
    last_kept INTEGER NOT NULL,             -- the message it went back to, -1: before all
    segments TEXT,                          -- the conversation before it; NULL: files only
    undoes TEXT                             -- the rewind that this one takes back
);

CREATE INDEX rewind_session ON rewind (session);

-- Contents of files, each once, whoever needs it.
CREATE TABLE blob (
    digest TEXT PRIMARY KEY,                -- SHA-256 of the content
    size INTEGER NOT NULL,                  -- of the content
    data BLOB NOT NULL                      -- compressed
);

-- One row a path that a call or a rewind of ours was about to change, in order.
CREATE TABLE touch (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES session (key) ON DELETE CASCADE,
    seq INTEGER NOT NULL,                   -- of the assistant message with the call; of a rewind: its next_seq
    call_id TEXT,
    rewind_id TEXT,
    path TEXT NOT NULL,
    data TEXT REFERENCES blob (digest),     -- the bytes on disk before; NULL: nothing was there
    mode INTEGER,
    buffer TEXT REFERENCES blob (digest),   -- the open document's text before; NULL: not open
    after TEXT NOT NULL,                    -- what we meant to leave there: 'absent', 'text:…' or 'bytes:…'
    settled INTEGER NOT NULL DEFAULT 0      -- 0: unknown whether it came to that; 1: it did; -1: nothing was changed
);

CREATE INDEX touch_session ON touch (session, seq);
CREATE INDEX touch_data ON touch (data);
CREATE INDEX touch_buffer ON touch (buffer);
