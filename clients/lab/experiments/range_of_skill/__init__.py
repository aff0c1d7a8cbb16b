"""The experiment ``range-of-skill``: lists of strategies, each of which beats all before it."""
