"""For authors of bots and those who teach them: a bot to begin with, and a folder for a course.

The bots to begin with are in ``scaffolds/``, a folder for each language; a file's name there ends in ``.txt``
where it would else be taken for one of ours.
"""
