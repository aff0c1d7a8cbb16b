"""Bots of other frameworks as bots of ours: each is translated, none is changed.

`skeleton` speaks the wire of the university competitions' skeletons, `pypokerengine` calls a player of that
library back, `openspiel` asks a policy; `openspiel_policy` is our bots as one; `rlcard`
asks an agent, and is lossy.
"""
