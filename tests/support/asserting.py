"""What many tests assert, in one line each."""

from collections.abc import Callable
from typing import Any, TypeVar

import pytest

T = TypeVar("T")
E = TypeVar("E", bound=BaseException)


def known(value: T | None) -> T:
    """A value that must be there."""
    assert value is not None
    return value


def refuses(error: type[E], message: str, call: Callable[..., Any], *args: Any, **names: Any) -> E:
    """Assert that a call raises an error whose message matches, or says anything where that is "".

    Its arguments are made before; the error is returned.
    """
    with pytest.raises(error, match=message or None) as refused:
        call(*args, **names)
    return refused.value
