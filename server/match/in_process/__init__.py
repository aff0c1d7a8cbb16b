"""Matches between installed bots without sockets: ``riverboat match --in-process``."""
