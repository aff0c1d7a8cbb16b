"""Are predictions right, and do stated values come: the experiment ``calibration``."""
