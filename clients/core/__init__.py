"""The core of every player: agents, their sessions over sockets, the arena, programs.

===================  ===============================================================================
``agent``            code that decides: sub-class it
``arena``            an in-process table: agents called directly
``mailbox``          an agent whose answers come from outside
``session``          an agent at a table over a socket
``program``          an agent as a program: connects, plays, reports
``registry``         installed bots by name
``options``          ``KEY=VALUE`` texts to the arguments of an agent's factory
``disclosure``       an agent's strategy in a ``#policy`` line
``mailbox``          an agent whose decisions are made elsewhere
``guess``            the game, guessed from what a dealer sends
``tasks``            tasks in several processes
``one_line``         commands whose errors are one line, and the options they share
``figure``           figures drawn by matplotlib
===================  ===============================================================================
"""
