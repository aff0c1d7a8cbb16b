CREATE TABLE players (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, command TEXT NOT NULL, first_seen TEXT NOT NULL,
    version TEXT NOT NULL DEFAULT '', UNIQUE (name, command, version)
);
CREATE TABLE games (id INTEGER PRIMARY KEY, name TEXT NOT NULL, definition TEXT NOT NULL UNIQUE);
CREATE TABLE tournaments (id TEXT PRIMARY KEY, name TEXT NOT NULL, added TEXT NOT NULL);
CREATE TABLE results (
    tournament TEXT NOT NULL REFERENCES tournaments, match TEXT NOT NULL,
    game INTEGER NOT NULL REFERENCES games,
    one INTEGER NOT NULL REFERENCES players, other INTEGER NOT NULL REFERENCES players,
    deals INTEGER NOT NULL, hands INTEGER NOT NULL, mean REAL NOT NULL, squares REAL NOT NULL,
    PRIMARY KEY (tournament, match, one, other)
) WITHOUT ROWID;
