-- How many of the folders above the path were not there either: a rewind removes them again, where they are empty.
ALTER TABLE touch ADD COLUMN missing INTEGER NOT NULL DEFAULT 0;
