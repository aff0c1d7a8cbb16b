"""What each of the formula's own constants is worth: the experiment ``sensitivity``."""
