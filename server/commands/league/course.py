"""``riverboat course``: a tournament for those who learn, every night."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import attrs
import click
from click import Choice, IntRange

from engine.poker.rules import load_game
from engine.support.files.whole import write_whole
from engine.support.user_input import how_many
from server.league.course.building import Built, build, check, version_of, with_players
from server.league.course.folder import LIMITS, NIGHTLY, STUDENTS, TOURNAMENT, course_files, students_of
from server.league.course.new_bot import LANGUAGES, NAME, write_new
from server.league.course.nights import BUILT_FILE, students_row, write_pages
from server.league.plan_file import read_grants
from server.match.arguments import read_game
from server.match.launching.confinement import why_there_are_none
from server.match.launching.players import BotFile
from server.support.options import FOLDER, flag, option
from server.support.toml_text import FileMistake, parse_toml, read_text

_EXECUTABLE: Final = 0o755
_UNSAFE: Final = "Students' programs would run as you, and read and change what you can (docs/course.md)"


@click.group()
def course() -> None:
    """Run a course: a folder for each student, checks, a tournament every night."""


@course.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@option("--student -s students NAME", "A student; may be repeated.", multiple=True)
@option(
    "--language -l",
    "What the students' bots are written in, to begin with.",
    Choice(sorted(LANGUAGES)),
    default="python",
)
@option("--game GAME", "What is played.", default="limit-2p")
@flag("--unsafe", "For where there are no sandboxes: bots run as you.")
@flag("--force", "Replace files that are there.")
def init(
    folder: Path, students: tuple[str, ...], language: str, game: str, unsafe: bool, force: bool
) -> None:
    """Set up a course in DIR, or add students to one.

    It has tournament.toml, nightly.sh, and students/NAME/ with a starter bot.
    """
    read_game(game)
    for student in students:
        if not NAME.fullmatch(student):
            raise click.UsageError(f"expected names of letters, digits, '.', '_' and '-', got {student!r}")
    why = why_there_are_none()
    files = course_files(folder, students, language, game, unsafe=unsafe)
    is_new = not (folder / TOURNAMENT).exists()
    if not is_new and not force:
        files = {path: text for path, text in files.items() if path.startswith(f"{STUDENTS}/")}
        if not files:
            raise click.UsageError(f"{folder / TOURNAMENT} is there already: add --student NAME, or --force")
    write_new(folder, files, force=force)
    if is_new or force:
        (folder / NIGHTLY).chmod(_EXECUTABLE)
    who = how_many(len(students_of(folder)), "student")
    click.echo(f"{folder}: {who}; {folder / NIGHTLY} builds, checks and plays")
    if why is not None:
        click.echo(f"no sandboxes: {why}.  {_UNSAFE}" + ("" if unsafe else ": refused here"), err=True)


@course.command("pages")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False, exists=True))
def pages(folder: Path) -> None:
    """Write DIR/nights/index.html, and a page for every night: who passed, who did not and why, and ranks."""
    click.echo(str(write_pages(folder)[-1]))


@course.command("build")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False, exists=True))
@option("--out DIR", "For what comes of it.", FOLDER, required=True)
@option("--hands N", "Random hands of a check.", IntRange(0), default=100)
@option("--limits LIMITS", "Of each process of a bot that is checked.", default=LIMITS)
@flag("--unsafe", "Also where there are no sandboxes: bots run as you.")
@flag("--json as_json", "Print one JSON object instead.")
@click.pass_context
def build_all(
    ctx: click.Context, folder: Path, out: Path, hands: int, limits: str, unsafe: bool, as_json: bool
) -> None:
    """Build and check every student's bot, and write the tournament of those that passed.

    OUT/tournament.toml is DIR/tournament.toml with these players; OUT/NAME.build.txt, NAME.check.json and
    NAME.check.xml are for the students.  Exit status: 0 all passed, 3 some did not.
    """
    why = why_there_are_none()
    if why is not None and not unsafe:
        raise click.UsageError(f"no sandboxes: {why}.  {_UNSAFE}; --unsafe builds and checks all the same")
    try:
        text = read_text(folder / TOURNAMENT)
        file = parse_toml(text, folder / TOURNAMENT)
        game = file.section("game", required=True).text("game")
        load_game(game)
        grants = read_grants(file.section("limits"))
    except (FileMistake, OSError) as error:
        raise click.UsageError(f"{error}; see `riverboat course init`") from None
    out.mkdir(parents=True, exist_ok=True)
    options = ["--limits", limits, *(["--sandbox"] if why is None else [])]
    options += grants.as_words(is_confined=why is None)
    found: list[Built] = []
    for student in students_of(folder):
        made = build(student.absolute(), out, in_sandbox=why is None)
        each = check(made, out, [game], hands, options) if isinstance(made, BotFile) else made
        try:
            each = attrs.evolve(each, version=version_of(student))
        except OSError as error:
            each = attrs.evolve(each, passed=False, words=f"{error.filename}: {error.strerror}")
        found.append(each)
        if not as_json:
            click.echo(f"{'ok' if each.passed else 'FAILED':<7} {each.folder.name}: {each.words}")
    write_whole(out / TOURNAMENT, with_players(text, found))
    report = {"passed": all(each.passed for each in found), "students": list(map(students_row, found))}
    write_whole(out / BUILT_FILE, json.dumps(report, indent=1) + "\n")
    if as_json:
        click.echo(json.dumps(report))
    if not all(each.passed for each in found):
        ctx.exit(3)
