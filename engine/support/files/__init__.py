"""Files: replaced in one step, by one writer at a time, read without trust, kept for the next time.

===================  ===============================================================
``whole``            a file is replaced in one step, or stays as it is
``lock``             one writer of a file at a time
``formats``          JSON texts and archives of arrays, whatever may be wrong with them
``cache``            what is computed once for a user: compiled kernels, tables
``cache_directory``  where that lies
``shards``           how hands go through a pipe, from processes that share a match out
===================  ===============================================================
"""

from engine.support.files.whole import write_whole

__all__ = ["write_whole"]
