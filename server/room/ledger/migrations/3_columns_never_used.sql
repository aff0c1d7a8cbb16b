-- Tournaments pay by places.  (Both columns have never been used: entrants have their values.)
ALTER TABLE places ADD COLUMN place INTEGER;
ALTER TABLE tables ADD COLUMN level_from INTEGER;
