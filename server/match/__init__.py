"""A match as users ask for it: planned, launched, played in sittings and passes, reported.

===================  ===============================================================================
``plan``             a match, and each of its passes
``arguments``        the arguments of the command, or of the call that is resumed
``launching``        players' programs: found, started, limited, watched
``in_process``       a table without sockets, for installed bots
``sharing``          a table with its players launched, and several that share the hands of a pass
``shards``           how hands are divided among tables or processes, and what is said to these
``withheld``         what one pass of a duplicate match could tell about the cards of another
``sittings``         a match's folder and plan, from its beginning to its end
``running``          one sitting and its passes, from the first hand to the report
``report``           ``result.json``, the JSON line, and the table for people
``censoring``        a match without the deals in which a provider failed
===================  ===============================================================================
"""
