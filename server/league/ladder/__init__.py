"""Ratings that last: players, versions and results of many tournaments, in one SQLite file.

``store``    what is kept
``ratings``  what follows from it, also as a page, and where a new player is placed
"""
