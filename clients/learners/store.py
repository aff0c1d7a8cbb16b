"""Keeps what a learner knows in a knowledge file while it plays: the life cycle that all learners share.

Every finished hand goes into the file's journal, so a program that is killed loses only the hand that it was
playing.  The journal goes into the file on a clean end, when it has grown long, and when the file is next
opened.

A match that plays every deal once per rotation (``riverboat match --duplicate``) restarts its bots for
each pass, and a learner that kept what it learnt would know the cards.  Such a match sets
``RIVERBOAT_DUPLICATE``; a store then reads its file and never writes it, so that each pass starts from the
same knowledge.
"""

from __future__ import annotations

import abc
import os
import sys
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from clients.core.agent import Agent
from clients.learners.knowledge_file import Knowledge, KnowledgeError, KnowledgeFile
from protocol import variables

_LONGEST_JOURNAL: Final = 20_000
"""Records after which the journal goes into the file: 2 to 3 MB, which take 0.2 s to read."""


Contents = tuple[str, Mapping[str, Any], Mapping[str, Any]]
"""The contents of a knowledge file: game, arrays and notes, as `KnowledgeFile.write` takes them."""


class LearnerStore(abc.ABC):
    """A learner's knowledge in memory and the file that keeps it; sub-classes define what it consists of.

    Args:
        path: the file; None to keep nothing.
        kind: the kind of learner.
        version: the version of what the learner stores.
        learn: whether anything will be written.
        journal: record every hand when it ends; off, only `save` writes.

    Raises:
        KnowledgeError: the file cannot be used, or is missing although nothing will be learnt.

    *Resource handling*: `close` it, or leave that to `close_with`.
    """

    def __init__(self, path: Path | None, kind: str, *, version: int, learn: bool, journal: bool) -> None:
        self._kind = kind
        self._journals = journal
        self._records = 0
        self._file: KnowledgeFile | None = None
        self._found: Knowledge | None = None  # until `_settle`
        if path is None:
            return
        is_duplicate = bool(os.environ.get(variables.DUPLICATE))
        self._file = KnowledgeFile(path, kind, version=version, write=learn and not is_duplicate)
        try:
            self._found = self._file.read()
            if self._found is None and not learn:
                raise KnowledgeError(f"{path}: there is no such file, and with learn=off there will be none")
        except BaseException:
            self._let_go()
            raise

    @abc.abstractmethod
    def _contents(self) -> Contents | None:
        """All that is known; None until the game is known."""

    @property
    def keeps_journal(self) -> bool:
        """Whether finished hands are recorded."""
        return self._journals and self._file is not None and self._file.is_writable

    def _settle(self) -> None:
        """Make the file ready for play, after the learner has taken over what was found in it.

        The file takes in the journal that was found beside it.  If there is no file yet but will be a
        journal, the file is created, since a journal has to continue one.

        Raises:
            KnowledgeError: it cannot be written.
        """
        found, self._found = self._found, None
        is_missing = self._file is not None and not self._file.exists
        if (found is not None and found.records) or (self.keeps_journal and is_missing):
            self.save()

    def _append(self, record: str) -> None:
        """Add a record, a text without line ends, to the journal.

        Raises:
            KnowledgeError: it cannot be written.
        """
        assert self._file is not None
        self._file.append(record)
        self._records += 1
        if self._records >= _LONGEST_JOURNAL:
            self.save()

    def save(self) -> None:
        """Replace the file with what is known now, if there is a file to write.

        Raises:
            KnowledgeError: it cannot be written.
        """
        if self._file is None or not self._file.is_writable:
            return
        contents = self._contents()
        if contents is not None:
            self._file.write(*contents)
            self._records = 0

    def close(self) -> None:
        """Save what was learnt in play and release the file; nothing is written afterwards.

        Raises:
            KnowledgeError: it cannot be written; the journal then keeps what it has.
        """
        try:
            if self.keeps_journal:
                self.save()
        finally:
            self._let_go()

    def close_with(self, learner: object) -> None:
        """Close when the learner is garbage-collected; an error then becomes a line on stderr."""
        weakref.finalize(learner, _close, self, self._kind)

    def _let_go(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


Store = TypeVar("Store", bound=LearnerStore)


class Knowing(Agent, Generic[Store]):
    """An agent with a store of what it has learnt."""

    _store: Store

    def save_knowledge(self) -> None:
        """Replace the knowledge file, if there is one, with what is known now.

        Raises:
            KnowledgeError: it cannot be written.
        """
        self._store.save()

    def close_knowledge(self) -> None:
        """Save what was learnt in play and release the file; what is learnt later is not kept.

        Raises:
            KnowledgeError: it cannot be written.
        """
        self._store.close()


def _close(store: LearnerStore, kind: str) -> None:
    try:
        store.close()
    except KnowledgeError as error:
        print(f"{kind}: {error}; the journal keeps what was learnt", file=sys.stderr)
