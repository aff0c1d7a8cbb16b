"""Ratings that last: players, versions and results of many tournaments, in one SQLite file.

``store``    what is kept
``ratings``  what follows from it
``placing``  a new player against known ones, by the most informative matches
``page``     the ladder as a page
"""
