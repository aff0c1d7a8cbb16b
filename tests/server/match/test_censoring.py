"""A model at a match, from recorded replies: what it costs, and deals in which its provider failed."""

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest
import trio

from clients.bots.baselines import AlwaysCall
from clients.bots.llm.agent import Llm
from engine.poker.rules import load_game
from protocol.agents.usage import Usage, format_record, format_usage, names_state, parse_record, parse_usage
from server.records.review.content import report_on
from server.records.review.page import render_page
from server.records.review.sources import open_source
from tests.support.matches import run_match
from tests.support.observers import log_of, policy
from tests.support.provider import FakeProvider

GAME, HANDS, SEED = "nolimit-2p-100bb", 40, 11


async def recorded(folder: Path, vice: str, every: int) -> str:
    """A player whose replies are recorded; ``log_of`` plays with the same cards as the match."""
    provider = FakeProvider(
        lambda seen: policy({k: v for k, v in seen.items() if k not in ("hud", "recent")})
    )
    provider.vice, provider.every = vice, every
    agent = Llm(url="http://x/v1", model="m-1", transcript=folder / "said", providers=0, price="1/2")
    agent.provider.transport = httpx2.ASGITransport(provider)
    await log_of(GAME, [agent, AlwaysCall()], HANDS)
    return f"M=llm:replay={folder / 'said'},model=m-1,providers=0,price=1/2"


def test_costs_and_faults_of_a_model_are_in_the_result_and_the_table(tmp_path: Path) -> None:
    player = trio.run(recorded, tmp_path, "502", 20)
    words = (GAME, player, "always-call", "--seed", str(SEED), "--hands", str(HANDS), "--luck", "off")
    told = run_match(tmp_path, *words, "--out", "m")
    result = json.loads((tmp_path / "m" / "result.json").read_text())
    agent = result["players"][0]["agent"]
    assert told.returncode == 0
    lines = (tmp_path / "m" / "usage").read_text().splitlines()

    assert agent["asked"] == len(lines) > HANDS
    assert agent["requests"] == len(lines)
    assert agent["censored"] == len(lines) // 20
    assert (agent["model"], agent["reading"], agent["illegal"]["count"]) == ("m-1", "strict", 0)
    answered = len(lines) - agent["censored"]
    assert agent["tokens"] == {
        "in": 600 * answered,
        "out": 10 * answered,
        "cached": 500 * answered,
        "reasoning": 0,
    }
    assert agent["usd"] == pytest.approx(answered * 620e-6)
    assert agent["unknown"] == agent["censored"]
    assert "agent" not in result["players"][1]
    assert (tmp_path / "m" / "match.log").read_text().count("# M censored: provider (hand ") == agent[
        "censored"
    ]
    assert result["players"][0]["mbb_per_hand"] is not None
    assert "uncensored" not in result["players"][0]

    content = report_on(open_source([tmp_path / "m"]))
    shown = content["players"][0]["agent"]
    assert (shown["asked"], shown["tokens_per_decision"]) == (len(lines), 610)
    assert shown["usd_per_1000_hands"] == pytest.approx(1000 * agent["usd"] / HANDS)
    assert "agent" not in content["players"][1]
    assert "<h2>Language models</h2>" in render_page(content)

    assert "may need more than 10 s a decision" in told.stderr
    heads = next(line for line in told.stdout.splitlines() if "tokens/decision" in line)
    assert heads.split()[:3] == ["player", "illegal", "%"]
    assert f"{610:d}" in told.stdout


def test_censored_deals_are_left_out_only_if_that_was_declared(tmp_path: Path) -> None:
    player = trio.run(recorded, tmp_path, "502", 30)
    words = (GAME, player, "always-call", "--seed", str(SEED), "--hands", str(HANDS), "--luck", "off")
    told = run_match(tmp_path, *words, "--censor", "--out", "m")
    assert told.returncode == 0
    result = json.loads((tmp_path / "m" / "result.json").read_text())
    header = (tmp_path / "m" / "match.log").read_text().splitlines()[:8]
    plan = json.loads((tmp_path / "m" / "plan.json").read_text())
    records = map(parse_record, (tmp_path / "m" / "usage").read_text().splitlines())
    censored = {each[1] for each in records if each is not None and each[2].get("fault") == "provider"}

    assert "# deals with a censored decision do not count" in header
    assert plan["parameters"]["censor"] is True
    assert result["censored"] == {"deals": len(censored), "of": HANDS, "most_for_a_verdict": 0.02}
    won = [
        float(line.split(":")[-2].split("|")[line.rstrip().split(":")[-1].split("|").index("M")])
        for line in (tmp_path / "m" / "match.log").read_text().splitlines()
        if line.startswith("STATE:") and int(line.split(":")[1]) not in censored
    ]
    to_mbb = 1000 / load_game(GAME).big_blind
    assert result["players"][0]["uncensored"]["mbb_per_hand"] == pytest.approx(sum(won) / len(won) * to_mbb)
    assert result["verdict"] is None  # more than one in fifty
    assert result["players"][0]["mbb_per_hand"] != pytest.approx(sum(won) / len(won) * to_mbb)
    assert f"censored: {len(censored)} of {HANDS} deals do not count; no verdict above 2%" in told.stdout


GOOD: Usage = {"in": 6, "out": 1, "tries": 2, "usd": 0.5, "ms": 3.5, "fault": "late", "model": "m"}


@pytest.mark.parametrize(
    "text",
    [
        "[]", "{", '{"in": -1}',
        '{"in": 1.5}', '{"usd": NaN}', '{"usd": 1e10}', '{"ms": true}', '{"fault": "x"}',
        '{"fault": []}', '{"model": 3}', '{"model": "' + "m" * 101 + '"}', '{"in": 1e999}',
    ],
)  # fmt: skip
def test_a_usage_line_with_anything_but_numbers_is_dropped(text: str) -> None:
    assert parse_usage(f"#usage 3 cr {text}\r\n".encode()) is None


def test_a_usage_line_is_read_as_it_was_written() -> None:
    line = (format_usage(3, "", GOOD) + "\r\n").encode()
    assert names_state(line, 3, "")
    assert not names_state(line, 4, "")
    assert not names_state(line, 3, "c")
    assert not names_state(line[:-2] + b" " * 1024 + b"\r\n", 3, "")
    assert parse_usage(line) == GOOD
    assert parse_record(format_record(1, line)) == (1, 3, GOOD)
    evil: Any = format_record(1, b'#usage 3 - {"model": "\x1b[2J"}\r\n')
    assert evil.isprintable() or evil[:-1].isprintable()
