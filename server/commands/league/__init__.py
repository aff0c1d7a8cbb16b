"""Commands that play many matches: tournaments, ladders, courses."""
