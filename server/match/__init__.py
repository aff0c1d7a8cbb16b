"""A match as users ask for it: planned, launched, played in sittings and passes, reported.

===================  ===============================================================================
``parameters``       option types of the commands
``arguments``        checks of a command's arguments
``launching``        players' programs: found, started, limited, watched
``in_process``       a table without sockets, for installed bots
``sharing``          the hands of a pass, divided among several tables
``sittings``         a match's folder, plan and journal, from its beginning to its end
``launched_match``   a match with its players launched
``running``          one sitting, from the first hand to the report
``report``           ``result.json``, the JSON line, and the table for people
``resuming``         a command that takes its words from an earlier call
===================  ===============================================================================
"""
