"""``riverboat experiment selective-sampling`` from end to end, at a size for a coffee sip."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clients.core.one_line import CommandError
from clients.lab.experiments.report import Findings
from clients.lab.experiments.selective_sampling import equal_time
from clients.lab.experiments.selective_sampling.experiment import DONE_BY, match_task, play_line_up
from clients.lab.experiments.selective_sampling.settings import PARTS, SamplingSettings, read_parts
from clients.lab.experiments.tasks import LineUp, Work
from tests.clients.lab.experiments.runs import run, whole_run

NAME = "selective-sampling"
SMALL = (
    "--game limit-3p --simulating 2,1 --hands 12 --duel-hands 20 --spots 4 --trials 40 --reference 1000 "
    "--seed 5 --sampling sampling:model=generic"
)


@pytest.mark.slow
def test_all_parts_from_end_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equal_time, "COSTLY_TRIALS", (1, 2))

    whole = whole_run(NAME, tmp_path, SMALL, "--no-plots")
    progress = run(NAME, tmp_path, SMALL, "--parts a --resume --no-plots").stderr

    results = whole.results
    assert list(results["parts"]) == list(PARTS.values())
    assert results["settings"]["seed"] == 5
    for letter, (heading, _) in DONE_BY.items():
        assert f"\n## ({letter}) {heading}\n" in whole.printed
    assert "(a) Self-play: sampling bots against formula bots: done" in progress
    line_ups = results["parts"]["self-play"]["line_ups"]
    assert [each["line_up"] for each in line_ups] == ["2 against 1", "1 against 2"]
    assert [each["hands"] for each in line_ups] == [12, 12]
    assert line_ups[0]["gain_dollars_per_1000_hands"]["mean"] == pytest.approx(
        10_000 * line_ups[0]["gain_sb_per_hand"]["mean"]
    )
    assert results["parts"]["stability"]["decisions"] == 4
    assert len(results["parts"]["robustness"]["match_ups"]) == 6


def test_plots_lie_beside_the_report_that_shows_them(tmp_path: Path) -> None:
    whole = whole_run(NAME, tmp_path, SMALL, "--parts robustness")

    shown = [line for line in whole.printed.splitlines() if line.startswith("![")]
    pictures = [tmp_path / line[line.index("](") + 2 : -1] for line in shown]
    assert [picture.name for picture in pictures] == ["robustness-limit-2p.png", "robustness-nolimit-2p.png"]
    for picture in pictures:
        assert picture.read_bytes().startswith(b"\x89PNG")
        assert "</svg>" in picture.with_suffix(".svg").read_text()


@pytest.mark.slow
@pytest.mark.timeout(600)  # three runs, one of them with processes of its own
def test_results_depend_on_the_seed_and_not_on_the_jobs(tmp_path: Path) -> None:
    size = "--hands 156 --simulating 1 --spots 9 --parts a,c --no-plots"
    one, two, other = (
        whole_run(NAME, tmp_path / str(number), SMALL, size, options).results
        for number, options in enumerate(("--jobs 1", "--jobs 2", "--seed 6"))
    )

    assert one == two
    assert one["parts"] != other["parts"]


def test_the_same_match_is_played_again(tmp_path: Path) -> None:
    settings = SamplingSettings(game="limit-3p", trials=40, sampling="sampling:model=generic")
    match, other = (match_task(LineUp(1, 3), settings, seed, 2) for seed in (3, 4))

    found = match.done_in(tmp_path)

    assert match.do() == found == match.found_in(tmp_path)
    assert other.found_in(tmp_path) is None
    assert match.file != other.file


def test_play_that_is_known_well_enough_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = SamplingSettings(
        seed=2, game="limit-3p", hands=6000, until=5000, sampling="random", formula="always-call"
    )
    monkeypatch.setattr(SamplingSettings, "sampling_bot", lambda self, trials=None: "random")

    gain, _ = play_line_up(LineUp(1, 3), settings, Work(tmp_path))

    known = gain["gain_sb_per_hand"]
    assert gain["hands"] == 3 * known.samples < 6000
    assert 4 < known.ci95 <= 2 * 5  # sb/h; the interval ± 5 need not have the mean in its middle


def test_an_interrupt_leaves_the_parts_that_are_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def done(settings: SamplingSettings, work: Work) -> Findings:
        return Findings({"done": True}, "Done.\n")

    def interrupted(settings: SamplingSettings, work: Work) -> Findings:
        raise KeyboardInterrupt

    monkeypatch.setitem(DONE_BY, "a", ("Self-play", done))
    monkeypatch.setitem(DONE_BY, "c", ("Obvious moves", interrupted))

    result = run(NAME, tmp_path, "--parts a,c --seed 1")

    assert result.exit_code == 130
    assert json.loads((tmp_path / "results.json").read_text())["parts"] == {"self-play": {"done": True}}
    assert "Done." in (tmp_path / "results.md").read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["results.json", "results.md"]


def test_parts_go_by_letter_and_by_name() -> None:
    assert read_parts("all") == tuple("abcdefg")
    assert read_parts("g, self-play,c") == ("a", "c", "g")
    with pytest.raises(CommandError, match=r"no part 'x'; there are a \(self-play\)"):
        read_parts("a,x")
