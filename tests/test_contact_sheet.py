"""Every page as it is read: nothing is cut off, at any width, in any theme, and everybody can read it."""

from pathlib import Path

import pytest

from tests.contact_sheet import look, look_at_tables, look_at_troubles
from tests.support.chromium import PROGRAM, chromium
from tests.support.screens import AXE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium: apt install chromium"),
    pytest.mark.timeout(300),
]


async def test_all_can_be_read_wide_on_a_phone_and_in_print(tmp_path: Path) -> None:
    async with chromium(tmp_path / "profile") as tab:
        for each in (look, look_at_tables, look_at_troubles):
            await each(tab, tmp_path)
        assert [complaint for complaint in tab.complaints if "status of 404" not in complaint] == []
    if AXE is None:
        pytest.skip("all but accessibility was examined: pip install axe-core-python")
