"""Every page as it is read: nothing is cut off, at any width, in any theme."""

from pathlib import Path

import pytest

from tests.contact_sheet import look
from tests.support.chromium import PROGRAM, chromium

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium: apt install chromium"),
    pytest.mark.timeout(300),
]


async def test_no_number_is_cut_off_wide_on_a_phone_or_in_print(tmp_path: Path) -> None:
    async with chromium(tmp_path / "profile") as tab:
        assert await look(tab, tmp_path) == []
        assert tab.complaints == []
