"""``riverboat experiment killer``: the book of flop configurations, and what it says of the starting hands.

===========  ================================================================
``tasks``    settings; the parts of the book, and matches with the rake
``report``   values of hands from a book, as numbers, a table and pictures
``rake``     who beats the rake, at six and at ten seats
``command``  the command line; makes the book
===========  ================================================================
"""
