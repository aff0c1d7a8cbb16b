"""`riverboat check-bot`: a scripted dealer puts a bot through everything that a table can do to it.

To read the code, take the modules in this order::

    ``findings``      what is checked, and what was found: a verdict for each item, as text, JSON, JUnit XML
    ``client``        the bot at its end of a connection: how states are sent to it, how fast it answers
    ``launched``      the same as a process that the house's launcher starts
    ``conversation``  what it is shown, and what its lines mean
    ``scripts``       hands with scripted players, and which are played for which item
    ``sitting``       one game: scripts one after another, restarted where the bot breaks down
    ``examination``   all games, and faults that show only across them
"""
