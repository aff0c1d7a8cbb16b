"""The house: opens tables, seats players, deals, keeps time and records.

``match``     one match over sockets, from open ports to the score       (`MatchServer`, `serve_match`)
``config``    what a match is: `MatchConfig`, `TimeLimits`, `OnFailure`
``cli``       the `riverboat` program
"""
