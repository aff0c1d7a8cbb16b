-- Accounts, tables with their places, movements of chips, hands with their results.
CREATE TABLE players (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE COLLATE NOCASE,
    kind TEXT NOT NULL CHECK (kind IN ('registered', 'guest', 'house')),
    salt BLOB,
    token BLOB,
    chips INTEGER NOT NULL DEFAULT 0 CHECK (chips >= 0),
    is_banned INTEGER NOT NULL DEFAULT 0,
    since_us INTEGER NOT NULL
);
CREATE TABLE tables (
    name TEXT PRIMARY KEY,
    next_hand INTEGER NOT NULL DEFAULT 0,
    button INTEGER, small INTEGER, big INTEGER
);
CREATE TABLE places (
    table_name TEXT NOT NULL REFERENCES tables (name),
    seat INTEGER NOT NULL,
    player INTEGER NOT NULL REFERENCES players (id),
    stack INTEGER NOT NULL CHECK (stack >= 0),
    PRIMARY KEY (table_name, seat)
);
CREATE TABLE movements (
    id INTEGER PRIMARY KEY,
    at_us INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('issue', 'return', 'buy-in', 'top-up', 'cash-out')),
    player INTEGER NOT NULL REFERENCES players (id),
    table_name TEXT REFERENCES tables (name),
    chips INTEGER NOT NULL CHECK (chips >= 0)
);
CREATE TABLE hands (
    id INTEGER PRIMARY KEY,
    table_name TEXT NOT NULL REFERENCES tables (name),
    number INTEGER NOT NULL,
    at_us INTEGER NOT NULL,
    game TEXT NOT NULL,
    line TEXT NOT NULL,
    secret TEXT NOT NULL,
    UNIQUE (table_name, number)
);
CREATE TABLE results (
    hand INTEGER NOT NULL REFERENCES hands (id),
    position INTEGER NOT NULL,
    player INTEGER NOT NULL REFERENCES players (id),
    chips INTEGER NOT NULL,
    rake INTEGER NOT NULL CHECK (rake >= 0),
    PRIMARY KEY (hand, position)
) WITHOUT ROWID;
