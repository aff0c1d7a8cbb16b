"""Everything that any program needs and that is not poker.

===================  ===============================================================================
``files``            files replaced in one step, read without trust, and the user's cache
``interruption``     how Ctrl-C, SIGTERM and SIGHUP end a program
``at_once``          the same in a program's first moments
``user_input``       numbers, names and text that people type: read, refused, safe to show
``text``             rates, names and tables as text
``palette``          every colour of pages, pictures and terminals
``arrays``           names of numpy's array types (loads numpy)
``intervals``        means and rates with their intervals
``seeds``            seeds derived from seeds
``plugins``          what installed packages declare
``moved``            former names of modules, for bots of earlier versions
===================  ===============================================================================
"""
