"""Programs in a tournament: each in a sandbox, unless its file says otherwise or there can be none."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import attrs
import pytest

from server.league.plan import Match
from server.league.plan_file import parse_plan
from server.league.running.processes import CannotPlay, match_words, with_sandboxes
from server.match.launching.confinement import why_there_are_none
from tests.support.commands import run_here

needs_bwrap = pytest.mark.skipif(why_there_are_none() is not None, reason="there are no sandboxes here")
THIEF: Final = """\
import os, sys
from clients import CALL, Agent, run
found = []
for place in sys.argv[1:-2]:
    for folder, below, names in os.walk(place):
        below[:] = [name for name in below if name not in ("usr", "proc", "lib", ".pyenv", "site-packages")]
        found += [os.path.join(folder, name) for name in names if name.endswith((".json", ".toml", ".log"))]
print("found", [path for path in found if "cup" in path or "rival" in path], file=sys.stderr, flush=True)
sys.argv[1:-2] = []
class Bot(Agent):
    def choose_action(self, view):
        return CALL
run(Bot)
"""
FILE: Final = """\
[tournament]
format = "{format}"
[game]
game = "{game}"
{more}
[[players]]
name = "thief"
player = "python {place}/thief.py . {here} /"
[[players]]
name = "rival"
player = "{here}/rival"
[[players]]
player = "always-call"
"""


@needs_bwrap
@pytest.mark.parametrize(
    ("place", "format_", "game", "more"),
    [
        (".", "gauntlet", "leduc", "hands = 2\nduplicate = false"),
        ("bots", "sit-and-go", "nolimit-3p", "[[sit_and_go.levels]]\nhands = 1\nsmall = 700"),
    ],
    ids=["a gauntlet, the tournament below", "a sit-and-go, the bots beside"],
)
def test_a_program_in_a_tournament_sees_neither_its_files_nor_its_rivals(
    tmp_path: Path, place: str, format_: str, game: str, more: str
) -> None:
    for folder in ("bots", "rival"):
        (tmp_path / folder).mkdir()
    (tmp_path / "rival/bot.toml").write_text('command = "python thief.py"')
    for path in (f"{place}/thief.py", "rival/thief.py"):
        (tmp_path / path).write_text(THIEF)
    (tmp_path / "cup.toml").write_text(
        FILE.format(format=format_, game=game, more=more, place=place, here=tmp_path)
    )
    done = run_here("tournament", "cup.toml", "--out", "cup", folder=tmp_path)

    assert done.exit_code == 0, done.stderr
    told = {path.read_text() for path in (tmp_path / "cup").rglob("thief.err")}
    assert told == {"found []\n"}
    lines = [line for line in done.stderr.splitlines() if line.startswith("thief:")]
    alone = f"thief: in its sandbox {tmp_path}/thief.py is shown, not its folder: {tmp_path} holds"
    assert [line.startswith(alone) for line in lines] == [True, False, False][place == "bots" :]
    assert 'is not shown; show = ["PATH"] in the tournament\'s file or' in lines[-1]


def plan(tmp_path: Path, limits: str = "", more: str = "") -> str:
    text = FILE.format(format="gauntlet", game="leduc", more="", place=".", here=tmp_path)
    return f"{text}{more}[limits]\n{limits}\n"


@pytest.mark.parametrize("limits", ["", "sandbox = false", "sandbox = true"])
@pytest.mark.parametrize("fault", [None, "no bwrap"])
def test_programs_are_in_sandboxes_where_there_can_be_any_unless_the_file_says_no(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limits: str, fault: str | None
) -> None:
    (tmp_path / "rival").mkdir()
    monkeypatch.setattr("server.league.running.processes.why_there_are_none", lambda: fault)
    said: list[str] = []
    found = parse_plan(plan(tmp_path, limits), tmp_path / "cup.toml")
    if fault and limits == "sandbox = true":
        with pytest.raises(CannotPlay, match=r"cup\.toml: sandbox: no bwrap"):
            with_sandboxes(found, tmp_path / "cup", said.append)
        return
    settled = with_sandboxes(found, tmp_path / "cup", said.append)
    words = match_words(settled, Match(0, 1, ("thief", "always-call")), tmp_path / "cup")
    is_confined = fault is None and limits != "sandbox = false"

    assert settled.limits.sandbox is is_confined
    assert ("--sandbox" in words) is is_confined
    private = [word.removeprefix("--private=") for word in words if word.startswith("--private=")]
    hidden = [str(tmp_path / name) for name in ("cup", "cup.toml", "rival")]
    assert private == (hidden if is_confined else [])
    assert (
        any(line.startswith("no sandbox: programs that run as one user") for line in said) is not is_confined
    )


def test_what_is_granted_reaches_the_matches_of_its_players(tmp_path: Path) -> None:
    for name in ("rival", "weights"):
        (tmp_path / name).mkdir()
    limits = f'sandbox = true\nshow = "{tmp_path}/weights"\nwrite = ["{tmp_path}/memory/{{name}}"]'
    own = '[[players]]\nname = "agent"\nplayer = "python x.py"\npass_env = "A_KEY"\n'
    own += f'show = "{tmp_path}/weights"\n'
    found = parse_plan(plan(tmp_path, limits, own), tmp_path / "cup.toml")

    assert found.grants.show == (f"{tmp_path}/weights", f"agent={tmp_path}/weights")
    assert found.grants.pass_env == ("agent=A_KEY",)
    words = match_words(found, Match(0, 1, ("thief", "rival")), tmp_path / "cup")
    assert words[words.index("--write") + 1] == f"{tmp_path}/memory/{{name}}"
    assert words[words.index("--pass-env") + 1] == "agent=A_KEY"
    assert attrs.evolve(found, file=Path()) == found
