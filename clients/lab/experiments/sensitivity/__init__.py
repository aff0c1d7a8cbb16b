"""The experiment ``sensitivity``: how much each of the formula's constants matters."""
