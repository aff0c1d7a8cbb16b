"""What was played, looked back at: the pages, tables and files of ``riverboat report`` and ``analyse``.

================  =================================================================================
``sources``       what there is to report on: logs, and what else is known in a match's folder
``counts``        one walk over the hands: winnings, statistics of play, bankrolls, biggest pots
``luck``          the same with the luck of the cards taken out
``words``         a hand in sentences
``again``         the commands that play a match again
``content``       all that a report says, as JSON
``pictures``      its curves and bars as SVG
``page``          its page
``spreadsheets``  its tables as CSV
``command``       ``riverboat report``
``analyse``       ``riverboat analyse``
================  =================================================================================
"""
