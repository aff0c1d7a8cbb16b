"""Matches whose players are started by the house."""
