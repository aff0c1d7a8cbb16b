"""A person at the table: an agent like any other, whose decisions are typed.

=================  ==========================================================================
`agent`            `Human`: what a person is shown, what is asked, what is done with the answer
`rendering`        what is shown, as text: pure functions of the view
`input_line`       what is typed: text to an intention, an intention to a legal action
`keyboard_lines`   bytes to lines, with what telnet puts between them
`odds`             hand strength, potential and pot odds of a spot, for those who ask
`style`            plain ASCII, suit symbols, colours
`program`          a seat for a person, put together: which table, and how to talk to them
`shell`            sitting down, from the first line to the last
`terminal`         the shell at a terminal
`telnet`           the shell for ``telnet`` and ``nc``
`own_table`        a table of one's own: the house as a child process
=================  ==========================================================================

Only the last five do any I/O.
"""
