"""Commands that play hands: a dealer, a match."""
