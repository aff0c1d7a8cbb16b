"""Tournaments: many matches from one file, journals that survive anything, standings derived from them."""
