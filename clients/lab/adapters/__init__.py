"""Bots of other frameworks as bots of ours: each is translated, none is changed.

`skeleton` speaks the wire of the university competitions' skeletons.
"""
