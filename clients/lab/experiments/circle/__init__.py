"""The experiment ``circle``: each bot against each, with learning curves."""
