"""`riverboat check-bot`: a scripted dealer puts a bot through everything that a table can do to it.

To read the code, take the modules in this order::

    ``findings``      what is checked, and what was found: a verdict for each item
    ``client``        the bot at its end of a connection
    ``launched``      the same as a process that the house's launcher starts
    ``delivery``      how states are sent to it: split, merged
    ``pace``          how fast it answers, and in how many pieces
    ``conversation``  what it is shown, and what its lines mean
    ``table``         hands with the bot in one seat and scripted players in the others
    ``scripts``       which hands are played for which item
    ``sitting``       one game: scripts one after another, restarted where the bot breaks down
    ``examination``   all games, and faults that show only across them
    ``report``        the verdicts as text, JSON and JUnit XML
"""
