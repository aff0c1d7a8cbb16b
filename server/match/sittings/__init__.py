"""A match may take several sittings: what outlives the house, and resuming from there."""
