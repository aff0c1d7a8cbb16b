"""The knowledge base: what arrays and records hold, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.learners.knowledge_file import KnowledgeError, KnowledgeFile, write_knowledge
from clients.learners.preflop.knowledge import KnowledgeBase
from clients.learners.preflop.learners import PokerLearner

VALUES = st.lists(st.integers(0, 10**6), min_size=4, max_size=4)
WAYS = st.lists(st.integers(-(10**6), 99), min_size=2, max_size=2)
STATES = st.dictionaries(
    st.integers(0, 4 * 9 * 169 - 1), st.tuples(VALUES, WAYS).map(lambda parts: parts[0] + parts[1])
)


@given(STATES, st.integers(0, 10**9))
def test_arrays_give_back_what_was_known(states: dict[int, list[int]], hands: int) -> None:
    base = KnowledgeBase()
    base.states, base.hands = states, hands

    again = KnowledgeBase.from_arrays(base.arrays(), hands, [])

    assert (again.states, again.hands, again.names) == (states, hands, [])


@given(STATES, STATES, st.lists(st.text(), unique=True, max_size=5), st.integers(0, 5))
def test_a_record_says_what_is_now(
    before: dict[int, list[int]], now: dict[int, list[int]], names: list[str], known: int
) -> None:
    base, other = KnowledgeBase(), KnowledgeBase()
    names = [*"abcd", *(name for name in names if name not in "abcd")]
    base.states, other.states = {**before, **now}, dict(before)
    for name in names:
        base.name_number(name)
    for name in names[:known]:
        other.name_number(name)

    record = base.record(now, min(known, len(names)))
    for _ in range(2):  # a crash can make it count twice
        other.apply_record(record)
        assert (other.states, other.names) == (base.states, names)


STATE = [5, 1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    "record",
    [
        [1, [STATE]],
        [-1, [STATE], 0, []],
        [1.5, [STATE], 0, []],
        [1, [STATE[:-1]], 0, []],
        [1, [[-5, *STATE[1:]]], 0, []],
        [1, [[4 * 9 * 169, *STATE[1:]]], 0, []],  # a fifth style
        [1, [[5, -1, *STATE[2:]]], 0, []],
        [1, [[5, 0.5, *STATE[2:]]], 0, []],
        [1, [STATE], 1, []],  # goes on from a name that is not there
        [1, [STATE], 0, [7]],
        [1, [STATE], 0, ["a", "a"]],
        [1, [STATE], 0, "a"],
        {},
    ],
)
def test_what_is_not_a_record_is_refused_in_one_line_that_names_the_file(
    record: object, tmp_path: Path
) -> None:
    path = tmp_path / "knowledge.npz"
    meta = {"hands": 0, "names": [], "notes": {"classifier": "as-meant"}}
    with KnowledgeFile(path, "poker-learner", write=True) as file:
        file.write("no-limit Texas hold'em", KnowledgeBase().arrays(), meta)
        file.append(json.dumps(record))

    with pytest.raises(KnowledgeError) as refused:
        PokerLearner(knowledge=path)
    assert str(refused.value).startswith(f"{path} is damaged: ")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("arrays", "changes"),
    [
        ({"keys": np.array([1])}, {}),
        ({"keys": np.array([1]), "values": np.zeros((1, 5), int)}, {}),
        ({"keys": np.array([1]), "values": np.zeros((2, 6), int)}, {}),
        ({"keys": np.array([1.0]), "values": np.zeros((1, 6), int)}, {}),
        ({"keys": np.array([10**5]), "values": np.zeros((1, 6), int)}, {}),
        ({}, {"hands": None}),
        ({}, {"names": [1]}),
        ({}, {"notes": 7}),
    ],
)
def test_knowledge_that_is_not_ours_is_refused(
    arrays: dict[str, object], changes: dict[str, object], tmp_path: Path
) -> None:
    path = tmp_path / "knowledge.npz"
    meta = {"hands": 0, "names": [], "notes": {"classifier": "as-meant"}} | changes
    stored = arrays or KnowledgeBase().arrays()
    write_knowledge(path, "poker-learner", "no-limit Texas hold'em", stored, meta)  # type: ignore[arg-type]

    with pytest.raises(KnowledgeError, match="is damaged: "):
        PokerLearner(knowledge=path)
