"""``riverboat experiment killer``: the book of flop configurations, and what it says of the starting hands.

===========  ================================================================
``report``   values of hands from a book, as numbers and as a table
``command``  the command line; makes the book
===========  ================================================================
"""
