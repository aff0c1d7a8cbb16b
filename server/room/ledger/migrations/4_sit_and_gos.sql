-- Sit-and-gos: what was paid in is in a pool until it is paid out.  Stacks are not money.  An entrant's
-- hand is the last one dealt to them.
CREATE TABLE sit_and_gos (
    id INTEGER PRIMARY KEY,
    table_name TEXT NOT NULL REFERENCES tables (name),
    began_us INTEGER NOT NULL,
    over_us INTEGER,
    first_hand INTEGER NOT NULL,
    stack INTEGER NOT NULL,
    pool INTEGER NOT NULL CHECK (pool >= 0),
    unpaid INTEGER NOT NULL CHECK (unpaid >= 0),
    is_called_off INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX sit_and_gos_by_table ON sit_and_gos (table_name, id);
CREATE TABLE entrants (
    sit_and_go INTEGER NOT NULL REFERENCES sit_and_gos (id),
    seat INTEGER NOT NULL,
    player INTEGER NOT NULL REFERENCES players (id),
    paid INTEGER NOT NULL CHECK (paid >= 0),
    stack INTEGER NOT NULL CHECK (stack >= 0),
    place INTEGER,
    prize INTEGER,
    hand INTEGER REFERENCES hands (id),
    PRIMARY KEY (sit_and_go, seat)
) WITHOUT ROWID;
CREATE INDEX entrants_by_player ON entrants (player, hand);
