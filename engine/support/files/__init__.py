"""Files: replaced in one step, by one writer at a time, read without trust, kept for the next time.

============  ===================================================================================
``archive``   the form of every file that is written to be read again: kind, schema, meta, arrays
``earlier``   the forms that earlier versions wrote
``formats``   JSON texts and ``.npz`` files, whatever may be wrong with them
``whole``     a file is replaced in one step, or stays as it is
``lock``      one writer of a file at a time
``cache``     the user's cache: compiled kernels, tables
``shards``    how hands go through a pipe, from processes that share a match out
============  ===================================================================================
"""

from engine.support.files.whole import write_whole

__all__ = ["write_whole"]
