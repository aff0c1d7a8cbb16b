"""Models of a player: given a public situation, the probability triple of every combo."""
