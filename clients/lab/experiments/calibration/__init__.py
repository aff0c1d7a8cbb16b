"""The experiment ``calibration``: whether predictions and stated values are right."""
