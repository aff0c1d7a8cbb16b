"""Commands that read logs of hands that were played."""
