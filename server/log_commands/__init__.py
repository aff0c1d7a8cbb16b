"""The commands that read match logs: ``verify``, ``replay``, ``convert``."""
