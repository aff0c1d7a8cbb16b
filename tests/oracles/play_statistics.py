"""Statistics of play, counted from the text of a hand alone: slow, obvious, without our rules.

It follows the chips itself, and asks of every action what a person with a pencil would.
"""

import re
from collections import Counter

from engine.poker.rules import GameDefinition


def count_hand(game: GameDefinition, betting: str, chips: tuple[float, ...]) -> list[Counter[str]]:
    """By position, what is counted for one hand of hold'em."""
    n = game.num_players
    spent, folded = list(game.blinds), [False] * n
    seen: list[Counter[str]] = [Counter(hands=1) for _ in range(n)]
    rounds = betting.split("/")
    for number, text in enumerate(rounds):
        raises = 0
        if number == 1:
            for p in range(n):
                seen[p]["flops"] += not folded[p]
        to_act = game.first_positions[number]
        for action in re.findall(r"f|c|r\d*", text):
            while folded[to_act] or spent[to_act] == game.stacks[to_act]:
                to_act = (to_act + 1) % n
            me, bet = to_act, max(spent)
            others = [p for p in range(n) if p != me and not folded[p] and spent[p] < game.stacks[p]]
            if number == 0:
                seen[me]["decided"] = 1
                if raises == 1 and others and game.stacks[me] > bet:
                    seen[me]["could_three_bet"] += 1
                    seen[me]["three_bets"] += action[0] == "r"
            if action == "f":
                folded[me] = True
            elif action == "c":
                if spent[me] < bet:
                    seen[me]["called preflop" if number == 0 else "calls"] += 1
                spent[me] = min(bet, game.stacks[me])
            else:
                size = bet + game.raise_sizes[number] if game.is_limit else int(action[1:])
                spent[me] = min(size, game.stacks[me])
                raises += 1
                seen[me]["raised preflop" if number == 0 else "bets_and_raises"] += 1
            to_act = (me + 1) % n
    for p in range(n):
        counts = seen[p]
        counts["entered"] = int(counts.pop("called preflop", 0) + counts["raised preflop"] > 0)
        counts["raised"] = int(counts.pop("raised preflop", 0) > 0)
        if not folded[p] and folded.count(False) > 1:
            counts["showdowns"] = 1
            called = min(spent[p], max(spent[q] for q in range(n) if q != p))
            counts["showdowns_won"] = int(round(chips[p] + called, 3) > 0)
    return seen
