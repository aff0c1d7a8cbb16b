"""The experiment ``next-action``: how well opponent models predict the next action."""
