"""A look back at matches: the pages, tables and files of ``riverboat report`` and ``analyse``.

================  =================================================================================
``sources``       what to report on: logs, what else a match's folder contains, how to replay it
``counts``        one walk over the hands: winnings, statistics of play, bankrolls, biggest pots
``content``       everything that a report says, as JSON
``page``          its web page
``spreadsheets``  its tables as CSV
================  =================================================================================
"""
