"""The house's commands; nothing imports them but ``server.cli``.

===================  ===============================================================================
``program``          the `riverboat` group: finds commands, the players' too
``play``             the dealer and matches
``league``           tournaments, ladders, courses
``look_back``        logs: reports, replays, conversions, checks
``operate``          rooms and their ledgers
===================  ===============================================================================
"""
