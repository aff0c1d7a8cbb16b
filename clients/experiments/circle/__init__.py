"""Who beats whom: each bot against each, with learning curves."""
