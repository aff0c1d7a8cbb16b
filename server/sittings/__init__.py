"""A match may take several sittings: what of it outlives the house, and going on from there."""
