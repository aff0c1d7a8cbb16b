"""A person at the table: an agent like any other, whose decisions are typed.

=================  ==========================================================================
`agent`            `Human`: what a person is shown, what is asked, what is done with the answer
`rendering`        what is shown, as text: pure functions of the view
`input_line`       what is typed: text to an intention, an intention to a legal action
`hand_names`       "two pair, kings and tens"
`odds`             hand strength, potential and pot odds of a spot, for those who ask
`style`            plain ASCII, suit symbols, colours
`typed_bytes`      bytes to lines, with what telnet puts between them
`terminal`         the shell at a terminal
`telnet`           the shell for ``telnet`` and ``nc``
`house`            a table of one's own: the house as a child process
=================  ==========================================================================

Only the last three do any I/O.
"""
