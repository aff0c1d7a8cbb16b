-- Standings and bankrolls ask for a player's hands, and not all hands are for chips: those of a match
-- count only for the standings.
ALTER TABLE hands ADD COLUMN moves_chips INTEGER NOT NULL DEFAULT 1;
CREATE INDEX results_by_player ON results (player, hand);
