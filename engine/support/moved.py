"""Modules that bots of earlier versions import by their former names: found, with a warning, until 0.4.

Only names that the documentation has told authors to import are kept.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from importlib.abc import Loader


MOVED: Final = {
    "clients.agent": "clients.core.agent",
    "clients.arena": "clients.core.arena",
    "clients.environments": "clients.lab.environments",
    "clients.options": "clients.core.options",
    "clients.registry": "clients.core.registry",
    "clients.session": "clients.core.session",
    "clients.testing": "clients.lab.testing",
    "engine.cards": "engine.poker.cards",
    "engine.combos": "engine.poker.combos",
    "engine.evaluation.hand_potential": "engine.hands.hand_strength",
    "engine.evaluation": "engine.hands",
    "engine.rules": "engine.poker.rules",
}
"""Former name -> name."""


class _Finder:
    """Loads a module of a former name as the one that it is today.

    Not one of `importlib.abc`, whose import would cost every program some ten milliseconds.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, cast("Loader", self)) if _today(fullname) is not None else None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None  # as usual

    def exec_module(self, module: ModuleType) -> None:
        former, today = module.__name__, _today(module.__name__)
        assert today is not None  # it was found
        warnings.warn(f"{former} is {today} now: import that", FutureWarning, stacklevel=2)
        sys.modules[former] = importlib.import_module(today)


def _today(former: str) -> str | None:
    for old, new in MOVED.items():
        if former == old or former.startswith(f"{old}."):
            return new + former[len(old) :]
    return None


def find_moved_modules() -> None:
    """Let modules be imported by their former names, once in a process."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())  # a package found by its former name has a path, too
