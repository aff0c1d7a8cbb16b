"""Files: replaced in one step, by one writer at a time, read without trust, kept for the next time.

============  ============================================================================"""

from engine.support.files.whole import write_whole

__all__ = ["write_whole"]
