-- Who comes back soon brings what they left with, and guests who never played are forgotten.
CREATE INDEX movements_by_player ON movements (player, id);
