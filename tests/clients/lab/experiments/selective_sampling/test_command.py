"""``riverboat experiment selective-sampling`` from end to end, at a size for a coffee sip."""

from __future__ import annotations

import json
from pathlib import Path

import attrs
import pytest
from click.testing import CliRunner, Result

from clients.commands.lab.experiment import experiment
from clients.core.one_line import CommandError
from clients.lab.experiments.findings import Findings
from clients.lab.experiments.line_up import LineUp
from clients.lab.experiments.resuming import Work, found_in
from clients.lab.experiments.selective_sampling.command import PARTS, read_parts
from clients.lab.experiments.selective_sampling.parts import equal_time, obvious_moves, self_play
from clients.lab.experiments.selective_sampling.settings import Settings

SMALL = [
    "--game", "limit-3p", "--simulating", "2,1", "--hands", "12",
    "--duel-hands", "20", "--spots", "4", "--trials", "40",
    "--reference", "1000", "--seed", "5", "--sampling", "sampling:model=generic",
]  # fmt: skip


def run(out: Path, *options: str) -> Result:
    return CliRunner().invoke(experiment, ["selective-sampling", "--out", str(out), *options])


@pytest.mark.slow
def test_all_parts_from_end_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equal_time, "COSTLY_TRIALS", (1, 2))

    result = run(tmp_path, *SMALL, "--no-plots")

    assert result.exit_code == 0, result.output
    results = json.loads((tmp_path / "results.json").read_text())
    report = (tmp_path / "results.md").read_text()
    assert list(results["parts"]) == [module.replace("_", "-") for module, _ in PARTS.values()]
    assert results["settings"]["seed"] == 5
    for letter, (_, heading) in PARTS.items():
        assert f"\n## ({letter}) {heading}\n" in report
        assert f"({letter}) {heading}: done" in result.output
    line_ups = results["parts"]["self-play"]["line_ups"]
    assert [each["line_up"] for each in line_ups] == ["2 against 1", "1 against 2"]
    assert [each["hands"] for each in line_ups] == [12, 12]
    assert line_ups[0]["gain_dollars_per_1000_hands"]["mean"] == pytest.approx(
        10_000 * line_ups[0]["gain_sb_per_hand"]["mean"]
    )
    assert results["parts"]["stability"]["decisions"] == 4
    assert len(results["parts"]["robustness"]["match_ups"]) == 6


def test_plots_lie_beside_the_report_that_shows_them(tmp_path: Path) -> None:
    result = run(tmp_path, *SMALL, "--parts", "robustness")

    assert result.exit_code == 0, result.output
    shown = [line for line in (tmp_path / "results.md").read_text().splitlines() if line.startswith("![")]
    pictures = [tmp_path / line[line.index("](") + 2 : -1] for line in shown]
    assert [picture.name for picture in pictures] == ["robustness-limit-2p.png", "robustness-nolimit-2p.png"]
    for picture in pictures:
        assert picture.read_bytes().startswith(b"\x89PNG")
        assert "</svg>" in picture.with_suffix(".svg").read_text()


@pytest.mark.slow
@pytest.mark.timeout(600)  # three runs, one of them with processes of its own
def test_results_depend_on_the_seed_and_not_on_the_jobs(tmp_path: Path) -> None:
    for name, options in {"one": ["--jobs", "1"], "two": ["--jobs", "2"], "other": ["--seed", "6"]}.items():
        given = [
            *SMALL,
            "--hands",
            "156",
            "--simulating",
            "1",
            "--spots",
            "9",
            "--parts",
            "a,c",
            *options,
            "--no-plots",
        ]
        assert run(tmp_path / name, *given).exit_code == 0
    one, two, other = (
        json.loads((tmp_path / name / "results.json").read_text()) for name in ("one", "two", "other")
    )

    assert one == two
    assert one["parts"] != other["parts"]


def test_the_same_match_is_played_again(tmp_path: Path) -> None:
    sampling = "sampling:trials=40,model=generic"
    match = self_play.Match(tmp_path, "limit-3p", LineUp(1, 3), sampling, "formula", 3, 2)

    found = self_play.play_match(match)

    assert self_play.play_match(match) == found == found_in(match)
    assert found_in(attrs.evolve(match, seed=4)) is None


def test_play_that_is_known_well_enough_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(
        seed=2, game="limit-3p", hands=6000, until=5000, sampling="random", formula="always-call"
    )
    monkeypatch.setattr(Settings, "sampling_bot", lambda self, trials=None: "random")

    gain = self_play.play_line_up(LineUp(1, 3), settings, Work(tmp_path))

    deals = gain.estimate.samples
    assert gain.hands == 3 * deals < 6000
    assert gain.estimate.ci95 is not None
    assert 4 < gain.estimate.ci95 <= 2 * 5  # sb/h; the interval ± 5 need not have the mean in its middle


def test_an_interrupt_leaves_the_parts_that_are_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def done(settings: Settings, work: Work) -> Findings:
        return Findings({"done": True}, "Done.\n")

    def interrupted(settings: Settings, work: Work) -> Findings:
        raise KeyboardInterrupt

    monkeypatch.setattr(self_play, "run", done)
    monkeypatch.setattr(obvious_moves, "run", interrupted)

    result = run(tmp_path, "--parts", "a,c", "--seed", "1")

    assert result.exit_code == 130
    assert json.loads((tmp_path / "results.json").read_text())["parts"] == {"self-play": {"done": True}}
    assert "Done." in (tmp_path / "results.md").read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["results.json", "results.md"]


def test_parts_go_by_letter_and_by_name() -> None:
    assert read_parts("all") == tuple("abcdefg")
    assert read_parts("g, self-play,c") == ("a", "c", "g")
    with pytest.raises(CommandError, match=r"no part 'x'; there are a \(self-play\)"):
        read_parts("a,x")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--parts", "z"], "there is no part 'z'"),
        (["--seed", "-3"], "expected a seed"),
        (["--game", "nolimit-2p", "--seed", "1"], "expected a limit game, got nolimit-2p"),
        (["--game", "no-such-game", "--seed", "1"], "no-such-game"),
        (["--sampling", "nobody", "--seed", "1"], "there is no bot 'nobody'"),
        (["--sampling", "sampling:speed=3", "--seed", "1"], "no option 'speed'"),
        (["--hands", "1"], "--hands"),
        (["--simulating", "5,x"], "expected numbers of players such as 5,1, got '5,x'"),
        (["--game", "leduc", "--seed", "1"], "expected Texas hold'em, got leduc"),
        (["--simulating", "10", "--seed", "1"], "expected 1 to 9 of 10 players, got 10"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(options: list[str], message: str, tmp_path: Path) -> None:
    result = run(tmp_path / "out", *options)

    assert result.exit_code == 2
    assert message in result.output
    assert result.output.count("\n") == 1
    assert not (tmp_path / "out").exists()
