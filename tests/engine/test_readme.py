"""What engine/README.md shows and names is there."""

import ast
import re
from pathlib import Path

import pytest

import engine
from tests.support.asserting import known
from tests.support.documents import public_names

FOLDER = Path(engine.__file__).parent
README = (FOLDER / "README.md").read_text("utf-8")

NAMES = [
    (module, name)
    for names, module in re.findall(r"^\|[^|]*\|([^|]*)\| `([\w/]+\.py)` \|$", README, re.MULTILINE)
    for name in re.findall(r"`([\w.]+)`", names)
]


def test_the_example_plays_a_hand(capsys: pytest.CaptureFixture[str]) -> None:
    example = known(re.search(r"^```python\n(.*?)^```$", README, re.DOTALL | re.MULTILINE))

    exec(example.group(1), {})

    # Jack-eight beats ten-four on As9d6s 3d 6c; one raise before the flop, one bet in each later round.
    assert capsys.readouterr().out == "crc/rc/rc/rc (70.0, -70.0)\n"


def test_the_table_names_something() -> None:
    assert len(NAMES) > 10


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_name_is_defined_where_the_table_says(module: str, name: str) -> None:
    scope = ast.parse((FOLDER / module).read_text("utf-8")).body
    for part in name.split("."):
        found = [
            node for node in scope if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == part
        ]
        assert found, f"{name} is not in engine/{module}"
        scope = found[0].body


def test_every_module_and_package_is_in_the_map_and_in_the_docstring() -> None:
    for name in public_names(engine):
        assert f"`engine.{name}`" in README
        assert f"``{name}``" in (engine.__doc__ or "")
