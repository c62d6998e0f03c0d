-- 1: a later rewind went away with its session, so that "the latest rewind" never means this one.
ALTER TABLE rewind ADD COLUMN overtaken INTEGER NOT NULL DEFAULT 0;
