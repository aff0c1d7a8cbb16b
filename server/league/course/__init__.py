"""For authors of bots and those who teach them: starter bots, and a folder for a course.

The starter bots are in ``scaffolds/``, a folder for each language; a file's name there ends in ``.txt`` if it
would otherwise be taken for one of ours.
"""
