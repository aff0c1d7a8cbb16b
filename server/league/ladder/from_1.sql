ALTER TABLE players RENAME TO old_players;
CREATE TABLE players (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, command TEXT NOT NULL, first_seen TEXT NOT NULL,
    version TEXT NOT NULL DEFAULT '', UNIQUE (name, command, version)
);
INSERT INTO players (id, name, command, first_seen) SELECT id, name, command, first_seen FROM old_players;
DROP TABLE old_players;
