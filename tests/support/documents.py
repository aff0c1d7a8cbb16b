"""Checks that what documents name exists: paths, links, commands and their options, make targets.

Each check takes a text or a word of a document, and returns what is wrong with it as lines for people.
Two more hold pages of results and the changelog to their form.
"""

from __future__ import annotations

import functools
import inspect
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Final

import attrs
import click

from clients.core.options import OptionError, agent_options, parse_settings
from clients.core.registry import installed_bots, load_bot
from clients.lab.environments import GAMES
from engine.poker.rules import GameDefinitionError, load_game
from server.commands.play import dealer as dealer_command
from server.commands.program import riverboat
from tests.support.benchmarks import quartered
from tests.support.dealer_process import ROOT

USERS_FILES: Final = (
    "my_bot.py", "match.log", "match.game", "result.json", "plan.json", "tournament.json", "progress.json",
    "dealer.err", "matches/", "bot.toml", "tournament.toml", "room.toml", "room.pem", "room.key",
    "ann.token", "ledger.db", "tables/NAME.log", "nightly.sh", "students/NAME/", "students/NAME/bot.toml",
    "nights/DATE/", "NAME.build.txt", "NAME.check.json", "NAME.check.xml", "build/site", "pass-K/",
    "players/NAME.out", "players/NAME.err",
)  # fmt: skip
"""Files that documents name but the project does not have: the reader's own, and results of matches."""

RESULTS_LINES: Final = 40
"""The length of a page of results."""
ENTRY_WORDS: Final = 25
"""The length of an entry in the changelog, without links."""

_FENCE: Final = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_SPAN: Final = re.compile(r"`([^`\n]+)`")
_LINK: Final = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
_HEADING: Final = re.compile(r"^#+ +(.+?)\s*$", re.MULTILINE)
_PATH: Final = re.compile(r"(?:\.\./)*[A-Za-z_.][\w.-]*(?:/[\w.-]+)*/?")
_ENDINGS: Final = (
    ".py", ".md", ".toml", ".yml", ".svg", ".sh", ".game", ".txt", ".json", ".log", ".err", ".out",
)  # fmt: skip
_BETTING: Final = re.compile(r"[fcr0-9/]+")
_PLACEHOLDER: Final = re.compile(r"(?<![-\w])[A-Z]+(?!\w)|…|\.\.\.|\|")
"""HOST, GAME, BOT...: a command with one of these is a form to fill in; only its options can be checked."""
_COMMIT: Final = re.compile(r"\b(?=[0-9]*[a-f])[0-9a-f]{7,40}\b")
"""The hash of a commit; without a letter it would be a number."""
_RELEASE: Final = re.compile(r"## (?:Unreleased|[\d.]+ \(\d{4}-\d\d-\d\d\))|### (?:Added|Changed|Fixed)")
_MODULE_OPTION: Final = re.compile(r"""add_argument\(\s*["'](--[\w-]+)["']""")
_MODULE_COUNTS: Final = re.compile(r"BenchmarkParser\(.*, __doc__, (.*?)\)")


@attrs.frozen
class Document:
    """A Markdown file of the repository."""

    path: Path
    text: str

    @classmethod
    def read(cls, path: Path) -> Document:
        """Read the document in a file."""
        return cls(path, path.read_text("utf-8"))

    @property
    def prose(self) -> str:
        """The text without its fenced blocks."""
        return _FENCE.sub("", self.text)

    @property
    def spans(self) -> list[str]:
        """The texts between backticks in the prose; ``\\|``, as tables write it, becomes ``|``."""
        return [span.replace("\\|", "|") for span in _SPAN.findall(self.prose)]

    def blocks(self, language: str) -> list[str]:
        """The fenced blocks in a language."""
        return [block for found, block in _FENCE.findall(self.text) if found == language]

    def command_lines(self) -> Iterator[str]:
        """The lines a reader may type, without comments: console blocks, and texts between backticks."""
        for language, block in _FENCE.findall(self.text):
            if language in ("", "console"):
                for line in block.replace("\\\n", " ").splitlines():
                    yield re.sub(r"\s+#.*", "", line.removeprefix("$ ")).strip()
        yield from self.spans


def documents() -> list[Document]:
    """All Markdown files of the project."""
    folders = ("engine", "protocol", "server", "clients", "tests", "docs")
    paths = [*ROOT.glob("*.md"), *(path for folder in folders for path in (ROOT / folder).rglob("*.md"))]
    return [Document.read(path) for path in sorted(paths)]


def faults(document: Document) -> list[str]:
    """Everything that a document names but that does not exist."""
    found = [f"no such file: {span}" for span in document.spans if is_missing_path(span, document.path)]
    for target in _LINK.findall(document.prose):
        found += [f"broken link: {target}"] if is_broken_link(target, document.path) else []
    for line in document.command_lines():
        found += faults_of_command(line)
    return found


# --- paths and links ---------------------------------------------------------------------------------------


def is_missing_path(span: str, document: Path) -> bool:
    """Whether a text looks like a path, but does not exist beside the document or at the root.

    A test is a path as well: ``tests/FILE.py::NAME``.
    """
    file, _, test = span.partition("::")
    if test and file.endswith(".py"):
        return not (ROOT / file).is_file() or f"def {test}(" not in (ROOT / file).read_text("utf-8")
    looks_like_one = ("/" in span or span.endswith(_ENDINGS)) and _PATH.fullmatch(span)
    if not looks_like_one or span in USERS_FILES or span in GAMES or _BETTING.fullmatch(span):
        return False
    return not any((base / span).exists() for base in (document.parent, ROOT))


def is_broken_link(target: str, document: Path) -> bool:
    """Whether the file or the heading that a link leads to does not exist."""
    if re.match(r"[a-z]+:", target):
        return False  # a link to another site
    file, _, heading = target.partition("#")
    path = document.parent / file if file else document
    if not path.exists():
        return True
    return bool(heading) and heading not in map(_slug, _HEADING.findall(path.read_text("utf-8")))


def _slug(heading: str) -> str:
    """The anchor of a heading, as Markdown viewers make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


# --- results and the changelog -----------------------------------------------------------------------------


def faults_of_results(text: str) -> list[str]:
    """Everything on a page of results that only a history has: more lines than a page, hashes of commits."""
    lines = len(text.splitlines())
    found = [f"{lines} lines, at most {RESULTS_LINES}"] if lines > RESULTS_LINES else []
    return found + [f"a commit: {commit}" for commit in _COMMIT.findall(text)]


def tables_of_strength(text: str) -> list[list[list[str]]]:
    """The rows of each table whose first column is ``against``, without its heads."""
    tables = re.findall(r"^\| against \|.*\n\|[- |]+\n((?:\|.*\n)+)", text, re.MULTILINE)
    return [
        [[cell.strip() for cell in row.strip("|").split("|")] for row in each.splitlines()] for each in tables
    ]


def summary_of_strength(rows: list[list[str]]) -> list[list[str]]:
    """The last two rows that a table of strength must have: by column the median and the worst quarter."""
    rates = [[cell.split(" ")[0] for cell in column if cell] for column in list(zip(*rows, strict=True))[1:]]
    found = [["median"], ["worst quarter"]]
    for column in rates:
        for row, places in zip(found, quartered([float(rate) for rate in column]), strict=True):
            digits = len(column[0].partition(".")[2])
            row.append(f"{sum(float(column[place]) for place in places) / len(places):+.{digits}f}")
    return found


def faults_of_changelog(text: str) -> list[str]:
    """All lines of releases that are neither Added, Changed or Fixed nor an entry of at most 25 words.

    The first lines, down to the newest release, are free; links do not count as words.
    """
    found: list[str] = []
    within = ""
    for line in text[text.index("\n## ") :].splitlines():
        if line.startswith("#"):
            within = line.removeprefix("### ")
            found += [] if _RELEASE.fullmatch(line) else [f"not a section of a changelog: {line}"]
        elif not line.startswith("* ") or within.startswith("#"):
            found += [f"not an entry of a section: {line}"] if line else []
        elif len(words := re.findall(r"\S*\w\S*", _LINK.sub("", line))) > ENTRY_WORDS:
            found.append(f"{len(words)} words, at most {ENTRY_WORDS}: {line}")
    return found


# --- commands ----------------------------------------------------------------------------------------------


def faults_of_command(line: str) -> list[str]:
    """What is wrong with a line that may be a command; nothing if it is not a command of ours."""
    words = _words(line)
    if not words:
        return []
    if words[0] == "riverboat" and len(words) > 1:
        return _faults_of_riverboat(line)
    if words[0] == "make" and len(words) > 1:
        targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        return [f"no make target {words[1]}"] if words[1] not in targets else []
    if words[:2] == ["python", "-m"]:
        return _faults_of_module(words[2:])
    if words[0] in ("docker", "pip", "bench_sampling", "cd", "sudo") or words[0].startswith("apt"):
        return []
    return [f"no command has the option {word}" for word in _options(words) if word not in _all_options()]


def _words(line: str) -> list[str]:
    """The words of a command, split as by a shell or, if its quotes do not match, at blanks."""
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()


def _options(words: list[str]) -> list[str]:
    """The long options among some words, without their values and the brackets of usage lines."""
    return [
        option[0] for word in words if (option := re.match(r"--[a-z][\w-]*", word.lstrip("[("))) is not None
    ]


def _faults_of_module(words: list[str]) -> list[str]:
    """What is wrong with ``python -m`` and these words."""
    module = words[0].rstrip(".")
    if not module.startswith(("tests.", "clients", "server", "engine", "protocol")):
        return []
    file = ROOT / Path(*module.split("."))
    source = next((path for path in (file.with_suffix(".py"), file / "__main__.py") if path.exists()), None)
    if source is None:
        return [f"no module {module}"]
    text = source.read_text("utf-8")
    counts = [f"--{name}" for given in _MODULE_COUNTS.findall(text) for name in re.findall(r"(\w+)=", given)]
    known = {*_MODULE_OPTION.findall(text), *counts, "--help", "--quick"}
    return [f"{module} has no option {option}" for option in _options(words) if option not in known]


def _faults_of_riverboat(line: str) -> list[str]:
    """What is wrong with a line that calls `riverboat`."""
    words = _words(line)[1:]
    if words[0].startswith(("-", "COMMAND", "…")):
        return [f"riverboat has no option {word}" for word in _options(words) if word not in _all_options()]
    if words[0] == "dealer":
        return _faults_of_dealer(line, words[1:])
    command = riverboat.get_command(click.Context(riverboat), words[0])
    path = [words.pop(0)]
    if command is None:
        return [f"no command riverboat {path[0]}"]
    known = _options_of(command)
    if isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name = words.pop(0)
        if name == "NAME":  # any sub-command: only the options of all of them are known
            known |= set.intersection(*map(_options_of, _sub_commands(command)))
        else:
            path.append(name)
            command = command.get_command(click.Context(command), name)
            if command is None:
                return [f"no command riverboat {' '.join(path)}"]
            known = _options_of(command)
    found = [f"riverboat {' '.join(path)} has no option {o}" for o in _options(words) if o not in known]
    if found or _PLACEHOLDER.search(line) or not words or isinstance(command, click.Group):
        return found
    return _faults_of_arguments(command, path[-1], words)


def _options_of(command: click.Command) -> set[str]:
    """All options of a command."""
    options = {
        option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)
    }
    return options | {"--help"}


def _sub_commands(group: click.Group) -> list[click.Command]:
    """All commands of a group."""
    context = click.Context(group)
    found = (group.get_command(context, name) for name in group.list_commands(context))
    return [command for command in found if command is not None]


def _faults_of_arguments(command: click.Command, name: str, words: list[str]) -> list[str]:
    """The errors that a command would report about its arguments before it begins to work."""
    if "--help" in words:
        return []
    if name in ("bot", "train") and len(words) == 1:  # mentioned with its bot, not called
        return _faults_of_bot(words[0])
    try:
        # Click's own method, since some of ours print their errors.
        parameters = click.Command.make_context(command, name, words).params
    except click.MissingParameter:
        return []  # mentioned with an option, not called
    except click.ClickException as error:
        return [f"riverboat {name} {' '.join(words)}: {error.format_message()}"]
    found: list[str] = []
    if name == "bot":
        settings = ",".join(parameters["settings"])
        found += _faults_of_bot(f"{parameters['name']}:{settings}" if settings else parameters["name"])
    if name == "match":
        for player in parameters["players"]:
            found += _faults_of_player(player)
    if name == "train":
        for bot in (parameters["learner"], *",".join(parameters["against"]).split(",")):
            found += _faults_of_bot(bot) if bot else []
    game = parameters.get("game")
    if isinstance(game, str) and not game.startswith("my"):
        try:
            load_game(game)
        except (OSError, GameDefinitionError) as error:
            found.append(f"no game {game}: {error}")
    return found


def _faults_of_player(player: str) -> list[str]:
    """What is wrong with a PLAYER that names a bot; other players are commands of the reader's."""
    _, _, bot = player.rpartition("=") if re.fullmatch(r"[^:=]+=[^:= ]+", player) else ("", "", player)
    return [] if bot == "wait" or " " in bot or "/" in bot else _faults_of_bot(bot)


def _faults_of_bot(bot: str) -> list[str]:
    """What is wrong with the name of a bot and its options."""
    name, _, settings = bot.partition(":")
    if name not in installed_bots():
        return [] if re.match(r"my-|[A-Z]", name) else [f"no bot {name}"]
    options = {parameter.name.strip("_") for parameter in agent_options(load_bot(name))}
    try:
        given = parse_settings(settings.split(",")) if settings else {}
    except OptionError as error:
        return [str(error)]
    return [f"{name} has no option {key}" for key in given if key.replace("-", "_") not in options]


def _faults_of_dealer(line: str, words: list[str]) -> list[str]:
    """What is wrong with a line that calls `riverboat dealer` with these words."""
    found = [f"riverboat dealer has no option {o}" for o in _options(words) if o not in _dealer_options()]
    if found or _PLACEHOLDER.search(line) or not words:
        return found
    try:
        options = dealer_command._parse(words)
    except dealer_command.UsageError as error:
        return [f"riverboat dealer: {error}"]
    return [] if len(options.positionals) >= 4 else ["riverboat dealer: too few arguments"]


def _dealer_options() -> set[str]:
    """The dealer's options in full; it also takes abbreviations, which documents do not use."""
    return {f"--{name}" for name in dealer_command._LONG}


@functools.cache
def _all_options() -> frozenset[str]:
    """All long options of all commands, of the dealer and of the benchmarks."""
    options = {"--version", "--help", *_dealer_options()}
    commands: list[click.Command] = [riverboat]
    for command in commands:
        options |= _options_of(command)
        if isinstance(command, click.Group):
            commands += _sub_commands(command)
    for source in (ROOT / "tests" / "benchmarks").glob("*.py"):
        options |= set(_MODULE_OPTION.findall(source.read_text("utf-8")))
    return frozenset(options)


# --- docstrings --------------------------------------------------------------------------------------------


def missing_names(source: str) -> list[str]:
    """Dotted names of ours in backticks in a source file that are not defined anywhere."""
    quoted = re.findall(r"`((?:engine|protocol|server|clients|tests)(?:\.\w+)+)`", source)
    return [name for name in quoted if not _is_defined(name)]


def _is_defined(name: str) -> bool:
    """Whether a dotted name is a module, or a name that its module mentions."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        path = ROOT.joinpath(*parts[:length])
        module = next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.exists()), None)
        if module is not None:
            source = module.read_text("utf-8")
            return all(re.search(rf"\b{part}\b", source) for part in parts[length:])
    return False


def listed_modules(docstring: str) -> list[str]:
    """The modules that a package's docstring lists: the names in backticks at the beginning of its lines."""
    lines = re.findall(r"^(`+\w+`+(?:, `+\w+`+)*) {2,}\S", docstring, re.MULTILINE)
    return sorted(name for line in lines for name in re.findall(r"\w+", line))


def public_names(package: ModuleType) -> list[str]:
    """The names of a package's modules and sub-packages that do not begin with ``_``."""
    return modules_in(Path(inspect.getfile(package)).parent)


def modules_in(folder: Path) -> list[str]:
    """The names of modules and sub-packages in a folder that do not begin with ``_``."""
    return sorted(
        path.stem
        for path in folder.iterdir()
        if not path.name.startswith("_") and (path.suffix == ".py" or (path / "__init__.py").exists())
    )
