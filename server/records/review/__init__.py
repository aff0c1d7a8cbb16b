"""A look back at matches: the pages, tables and files of ``riverboat report`` and ``analyse``.

================  =================================================================================
``sources``       what to report on: logs, and what else a match's folder contains
``counts``        one walk over the hands: winnings, statistics of play, bankrolls, biggest pots
``luck``          the same with the luck of the cards taken out
``words``         a hand in sentences
``again``         the commands that replay a match
``content``       everything that a report says, as JSON
``pictures``      its curves and bars as SVG
``page``          its web page
``spreadsheets``  its tables as CSV
``page_file``     the file of a match's page
================  =================================================================================
"""
