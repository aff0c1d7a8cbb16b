"""Cases that stand as data beside the tests that they are for."""

import json
from pathlib import Path
from typing import Any


def cases(test_file: str, name: str) -> list[Any]:
    """The cases of a test, one a line of the file of the same name that ends in ``.json``.

    Args:
        test_file: ``__file__`` of the tests.
        name: of the list of cases.
    """
    found: list[Any] = json.loads(Path(test_file).with_suffix(".json").read_text("utf-8"))[name]
    return found
