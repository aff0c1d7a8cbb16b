"""``riverboat experiment killer``: the book of flop configurations, and what it says of the starting hands.

===========  ================================================================
``report``   values of hands from a book, as numbers and as a table
``rake``     who beats the rake, at six and at ten seats
``command``  the command line; makes the book
===========  ================================================================
"""
