"""Commands that seat a player at a table."""
