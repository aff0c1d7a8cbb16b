"""What READMEs, results and the changelog name is there: files, links, commands, options, make targets.
Results and the changelog are short.

The checks themselves are tried on misspelt samples, so that a document cannot pass because nothing looks.
"""

import ast
import re
import tomllib
from pathlib import Path

import pytest

import engine
from clients.bots.llm.settings import settings_of
from clients.commands.solve.spot_files import read_spot
from clients.core.options import make_agent, parse_settings
from clients.core.registry import load_bot
from clients.lab.benchmark.config import load_benchmark
from server.league.comparing.plan import read_field
from server.league.plan_file import parse_plan
from server.room.config import load_room
from tests.support.asserting import known
from tests.support.cases import cases
from tests.support.dealer_process import ROOT
from tests.support.documents import (
    Document,
    documents,
    faults,
    faults_of_changelog,
    faults_of_command,
    faults_of_results,
    is_broken_link,
    is_missing_path,
    public_names,
    summary_of_strength,
    tables_of_strength,
)
from tests.support.terminal.picture import COMMAND, PICTURE, played

# --- documents ----------------------------------------------------------------------------------------------

DOCUMENTS = documents()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: str(document.path.relative_to(ROOT)))
def test_all_that_a_document_names_is_there(document: Document) -> None:
    assert faults(document) == []


TOML = [
    pytest.param(block, id=f"{document.path.name}-{number}")
    for document in DOCUMENTS
    for number, block in enumerate(document.blocks("toml"))
]


@pytest.mark.parametrize("block", TOML)
def test_the_toml_that_a_document_shows_is_read_and_its_bots_play(block: str, tmp_path: Path) -> None:
    keys = tomllib.loads(block).keys()
    file = tmp_path / "shown.toml"
    if "tournament" in keys:
        bots = [each.text for each in parse_plan(block, file).entrants if each.player.is_bot]
    elif keys <= {"room", "table"}:
        file.write_text(block + ("" if "table" in keys else '[[table]]\nname = "limit-2p"\n'))
        bots = [bot for table in load_room(file).tables for bot in table.fill]
    elif {"opponents", "folder"} <= keys:
        file.write_text(block)
        bots = [each.bot for each in load_benchmark(file).opponents.values()]
    elif "opponents" in keys:
        file.write_text(block)
        bots = [each.text for each in read_field((), file, tmp_path)]
    elif "board" in keys:
        file.write_text(block)
        assert read_spot(file).ranges[0].any()
        return
    elif "model" in keys:
        file.write_text(block)
        assert settings_of(file, {}).key_file == Path("key")
        return
    else:
        assert keys == {"project"}
        return
    for bot in bots:
        named, _, settings = bot.partition(":")
        name = named.rpartition("=")[2]
        make_agent(name, load_bot(name), parse_settings(settings.split(",") if settings else ()))


def test_toml_of_rooms_and_tournaments_is_among_it() -> None:
    assert len(TOML) >= 5


def test_every_document_is_looked_at() -> None:
    names = {str(document.path.relative_to(ROOT)) for document in DOCUMENTS}

    assert {"README.md", "CHANGELOG.md", "clients/bots/formula/RESULTS.md"} <= names
    for package in ("engine", "protocol", "server", "clients", "clients/human", "tests/benchmarks"):
        assert f"{package}/README.md" in names


def test_documents_have_many_commands_to_check() -> None:
    lines = [line for document in DOCUMENTS for line in document.command_lines()]

    assert sum(line.startswith("riverboat ") for line in lines) > 60
    assert sum(line.startswith("python -m tests.") for line in lines) > 8
    assert sum(line.startswith("make ") for line in lines) > 8


def test_results_are_short_and_of_today() -> None:
    pages = [document for document in DOCUMENTS if document.path.name == "RESULTS.md"]

    assert len(pages) >= 9
    assert {page.path.parent.name: faults for page in pages if (faults := faults_of_results(page.text))} == {}
    assert sum(len(page.text.splitlines()) for page in pages) <= 300


def test_tables_of_strength_end_with_the_median_and_the_worst_quarter() -> None:
    """Opponents are of one's own choice: a mean over them would be ruled by those that give most away."""
    pages = [document for document in DOCUMENTS if document.path.name == "RESULTS.md"]
    tables = [table for page in pages for table in tables_of_strength(page.text) if len(table) >= 8]

    assert len(tables) >= 3
    for rows in tables:
        assert rows[-2:] == summary_of_strength(rows[:-2])


def test_the_changelog_has_short_entries_by_kind() -> None:
    assert faults_of_changelog((ROOT / "CHANGELOG.md").read_text("utf-8")) == []


def test_every_benchmark_is_on_the_page_of_speeds() -> None:
    readme = (ROOT / "tests" / "benchmarks" / "README.md").read_text("utf-8")

    for path in (ROOT / "tests" / "benchmarks").glob("bench_*.py"):
        assert f"`python -m tests.benchmarks.{path.stem}" in readme


def test_the_first_page_is_a_page() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 130


def test_the_table_talk_on_the_first_page_is_that_of_a_recorded_terminal() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    sample = next(block for block in readme.split("```")[1::2] if "Your cards" in block)
    recorded = (ROOT / "tests" / "golden" / "terminal" / "nc.txt").read_text("utf-8")

    assert sample.strip("\n") in recorded


# --- the checks, on samples --------------------------------------------------------------------------------


@pytest.mark.parametrize("line", cases(__file__, "right commands pass"))
def test_right_commands_pass(line: str) -> None:
    assert faults_of_command(line) == []


@pytest.mark.parametrize("line", cases(__file__, "wrong commands are found"))
def test_wrong_commands_are_found(line: str) -> None:
    assert faults_of_command(line) != []


def test_missing_paths_are_found() -> None:
    readme = ROOT / "engine" / "README.md"

    assert not is_missing_path("poker/rules/betting.py", readme)
    assert not is_missing_path("engine/poker/rules/betting.py", readme)
    assert not is_missing_path("poker/rules/", readme)
    assert is_missing_path("rules/beting.py", readme)
    assert is_missing_path("engin/rules/betting.py", readme)
    assert is_missing_path("rule/", readme)
    assert is_missing_path("carsd.py", readme)
    assert not is_missing_path("rc/cr", readme)  # a betting
    assert not is_missing_path("rules betting", readme)


def test_broken_links_are_found() -> None:
    readme = ROOT / "server" / "README.md"

    assert not is_broken_link("../engine/README.md#a-hand-without-a-network", readme)
    assert not is_broken_link("#in-containers", readme)
    assert not is_broken_link("https://example.org/nowhere", readme)
    assert is_broken_link("../engine/READNE.md", readme)
    assert is_broken_link("../engine/README.md#a-hand-without-network", readme)
    assert is_broken_link("#nowhere", readme)


def test_histories_among_results_are_found() -> None:
    page = "# What it wins\n\n| simple | 20,000 | +0.309 |\n\n`--hands 20000000`, a decade, 86aee0\n"

    assert faults_of_results("a line\n" * 40) == []
    assert faults_of_results("a line\n" * 41) == ["41 lines, at most 40"]
    assert faults_of_results(page) == []
    assert faults_of_results("before 86aee0f, after 0e8e0cf\n") == ["a commit: 86aee0f", "a commit: 0e8e0cf"]


def test_faults_of_a_changelog_are_found() -> None:
    good = (
        "# Changelog\n\nNewest first.\n\n## Unreleased\n\n### Added\n\n* A bot ([how](a.md)).\n\n"
        f"## 1.2.0 (2026-11-22)\n\n### Fixed\n\n* {'word ' * 25}([its page](a.md)).\n"
    )

    assert faults_of_changelog(good) == []
    for part, instead, fault in (
        ("### Added", "### News", "not a section of a changelog: ### News"),
        ("1.2.0 (2026-11-22)", "1.2.0", "not a section of a changelog: ## 1.2.0"),
        ("### Added\n", "", "not an entry of a section: * A bot ([how](a.md))."),
        ("* A bot", "A bot", "not an entry of a section: A bot ([how](a.md))."),
    ):
        assert faults_of_changelog(good.replace(part, instead)) == [fault]
    (long,) = faults_of_changelog(good.replace("* word", "* one word"))
    assert long.startswith("26 words, at most 25: * one word")


def test_a_document_is_searched_everywhere(tmp_path_factory: pytest.TempPathFactory) -> None:
    document = Document(
        ROOT / "README.md",
        "Read `engine/beting.py` and [this](nowhere.md).\n"
        "| `riverboat match --untill X \\| Y` |\n"
        "```console\n$ riverboat matsch limit-2p a b   # a comment with --nonsense\n"
        "$ riverboat match limit-2p formula \\\n    --duplicates\n```\n"
        "```python\nriverboat = 'riverboat nothing --nothing'\n```\n",
    )

    assert faults(document) == [
        "no such file: engine/beting.py", "broken link: nowhere.md", "no command riverboat matsch",
        "riverboat match has no option --duplicates", "riverboat match has no option --untill",
    ]  # fmt: skip


def test_the_picture_is_of_the_table_of_today() -> None:
    """Its numbers are of the day it was made; its heads are those that `riverboat match` prints."""
    shown = PICTURE.read_text("utf-8").replace("&#160;", " ")
    table = played("match limit-2p random always-call --hands 100 --seed 7")
    heads = re.findall(r"adjusted \(95 %\)|mbb/h \(95 %\)|sb/h \(95 %\)|chips|median ms|p99|max", table)

    assert len(heads) == 7
    assert COMMAND in shown
    for head in heads:
        assert head in shown
    assert "@font-face" not in shown


# --- readme -------------------------------------------------------------------------------------------------

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
