"""A benchmark on one's own machine: clients play hands against named opponents over HTTP.

``config``     opponents with versions and strategy hashes, and what the operator allows
``runs``       a run: one client against one opponent in one game; its folder is a match folder
``results``    what a run has come to, with intervals and luck taken out; the leaderboard
``dialects``   two public dialects: the sessions of a well-known heads-up bot, and hands by number
``service``    the addresses
"""
