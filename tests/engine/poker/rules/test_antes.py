"""Antes and rake, against PokerKit's chips and by plain arithmetic; sizes of raises in pots."""

import random
from fractions import Fraction

import attrs
import pytest
from hypothesis import given, strategies as st
from pokerkit import Automation, NoLimitTexasHoldem, State

from clients.core.arena import Arena
from clients.core.registry import make_bot
from engine.evidence.aivat.games import why_not
from engine.hands.betting_arrays import game_array
from engine.poker import rules
from engine.poker.cards import format_cards, parse_cards
from engine.poker.rules.game_file import unknown_lines
from tests.support.asserting import known, refuses
from tests.support.cases import cases
from tests.support.hands.evidence import all_in_chips
from tests.support.hands.golden_files import golden_game
from tests.support.hands.strategies import choose, games, hands, play

# --- antes --------------------------------------------------------------------------------------------------

GAME = rules.load_game("nolimit-6p-ante")
HANDS = 25

TABLES = {
    "equal antes": attrs.evolve(GAME, stacks=(3000, 2000, 1000, 5000, 4000, 700)),
    "stacks below the ante": attrs.evolve(GAME, antes=(40,) * 6, stacks=(900, 190, 30, 12, 90, 1100)),
    "the big blind's ante": attrs.evolve(GAME, antes=(0, 100, 0, 0, 0, 0), stacks=(300, 260, 5, 90, 700, 90)),
    "antes of some": attrs.evolve(GAME, antes=(0, 5, 20, 7, 0, 9), stacks=(900, 130, 120, 500, 400, 7)),
    "three players": attrs.evolve(
        rules.load_game("nolimit-3p"), antes=(25,) * 3, stacks=(400, 200, 1000), blinds=(50, 100, 0)
    ),
    "card rooms' short raises": attrs.evolve(
        GAME, stacks=(300, 220, 350, 460, 590, 700), short_raises_reopen=False
    ),
    "two players": attrs.evolve(rules.load_game("nolimit-2p"), antes=(30, 30), stacks=(1000, 700)),
    "two players, one ante": attrs.evolve(rules.load_game("nolimit-2p"), antes=(30, 0), stacks=(400, 700)),
}


def pokerkit_hand(game: rules.GameDefinition, deal: rules.Deal) -> State:
    """A hand there, dealt; its chips are fractions, so that pots split exactly."""
    swapped = slice(None, None, -1) if game.num_players == 2 else slice(None)  # it turns two players round
    state = NoLimitTexasHoldem.create_state(
        (
            Automation.ANTE_POSTING, Automation.BET_COLLECTION, Automation.BLIND_OR_STRADDLE_POSTING,
            Automation.HOLE_CARDS_SHOWING_OR_MUCKING, Automation.HAND_KILLING, Automation.CHIPS_PUSHING,
            Automation.CHIPS_PULLING,
        ),
        game.has_equal_antes,
        tuple(map(Fraction, game.antes[swapped])),
        tuple(map(Fraction, game.blinds[swapped])),
        Fraction(game.big_blind),
        tuple(map(Fraction, game.stacks)),
        game.num_players,
    )  # fmt: skip
    for cards in deal.hole_cards:
        state.deal_hole(format_cards(cards))
    return state


def deal_board(state: State, deal: rules.Deal) -> None:
    while state.status and state.can_burn_card():
        state.burn_card("??")
        out = len(list(state.get_board_cards(0)))
        state.deal_board(format_cards(deal.board[out : max(3, out + 1)]))


def play_both(state: rules.HandState, other: State, rng: random.Random) -> rules.HandState:
    """A random hand, played here and there: of what is legal here, what is also legal there."""
    floor = betting_round = 0
    while not state.is_finished:
        betting = state.betting
        if betting.betting_round > betting_round:
            betting_round, floor = betting.betting_round, betting.max_spent
        deal_board(other, state.deal)
        position = known(betting.position_to_act)
        if other.actor_index is None:  # a single player with nothing to call: asked by the ACPC's rules only
            assert betting.amount_to_call(position) <= 0
            state = state.apply(rules.CALL)
            continue
        assert other.actor_index == position
        assert other.total_pot_amount == betting.pot == state.view(position).pot
        assert other.checking_or_calling_amount == betting.amount_to_call(position)
        legal = state.legal_actions()
        action = choose(rng.randrange(2**32), legal)
        if not betting.game.short_raises_reopen:
            least = other.min_completion_betting_or_raising_to_amount
            if least is None:  # there nobody raises those who are all-in, or will be by calling
                behind = [p for p in range(6) if p != position and betting.can_act(p)]
                in_reach = [p for p in behind if betting.game.betting_stacks[p] > betting.max_spent]
                assert not (legal.can_raise and in_reach)
            else:
                assert legal.min_raise_to == floor + least
        if action.raise_to is not None and not other.can_complete_bet_or_raise_to(action.raise_to - floor):
            action = rules.CALL  # a short all-in does not open the betting again there
        if action.raise_to is not None:
            other.complete_bet_or_raise_to(action.raise_to - floor)
        elif action.kind is rules.ActionKind.CALL:
            other.check_or_call()
        else:
            other.fold()
        state = state.apply(action)
    deal_board(other, state.deal)
    return state


@pytest.mark.parametrize("table", TABLES)
def test_chips_are_pokerkits(table: str) -> None:
    game = TABLES[table]
    dealer, rng = rules.CardDealer(game, 5), random.Random(table)
    showdowns = 0

    for number in range(HANDS):
        deal = dealer.deal()
        other = pokerkit_hand(game, deal)
        end = play_both(rules.initial_hand(game, number, deal), other, rng)

        assert not other.status
        assert end.chips_won() == pytest.approx([float(chips) for chips in other.payoffs], abs=1e-9)
        showdowns += end.betting.is_showdown

    assert showdowns > HANDS // 4


def test_an_ante_is_in_the_pot_and_in_no_bet() -> None:
    betting = rules.initial_betting(GAME)

    assert betting.pot == 150 + 60
    assert betting.spent == (50, 100, 0, 0, 0, 0)
    legal = betting.legal_actions()
    assert (legal.min_raise_to, legal.max_raise_to) == (200, 9990)
    assert betting.amount_to_call(2) == 100
    won = rules.parse_betting(GAME, "r9990fffff")
    assert rules.chips_won(won, [()] * 6, ()) == (-60, -110, 200, *[-10] * 3)


def test_a_position_with_less_than_the_ante_plays_for_as_much_of_the_others() -> None:
    game = attrs.evolve(
        rules.load_game("nolimit-3p"), antes=(20,) * 3, stacks=(500, 500, 8), blinds=(50, 100, 0)
    )
    hole_cards = [parse_cards(text) for text in ("KsKd", "QsQd", "AsAd")]
    board = parse_cards("2c7d9hJs3c")
    end = rules.parse_betting(game, "cc/cc/cc/cc")

    assert rules.chips_won(end, hole_cards, board) == (2 * (120 - 8) - 120, -120, 16)

    dead = attrs.evolve(game, antes=(0, 20, 8), stacks=(500, 500, 8))
    assert rules.chips_won(rules.parse_betting(dead, "cc/cc/cc/cc"), hole_cards, board) == (100, -120, 20)


@given(games(conserving=True), st.data())
def test_chips_add_up_with_any_antes(game: rules.GameDefinition, data: st.DataObject) -> None:
    most = [stack - blind for stack, blind in zip(game.stacks, game.blinds, strict=True)]
    antes = tuple(data.draw(st.integers(0, min(left, 30))) for left in most)
    with_antes = attrs.evolve(game, antes=antes)

    states = play(with_antes, data.draw(st.integers(0, 99)), data.draw(st.lists(st.integers(0, 999))))

    assert all(state.betting.pot == sum(state.betting.spent) + sum(antes) for state in states)
    won = states[-1].chips_won()
    assert sum(won) == pytest.approx(0, abs=1e-6)
    for position, chips in enumerate(won):
        assert chips >= -game.stacks[position]
    assert rules.parse_game(rules.format_game(with_antes)) == with_antes


# --- game files ------------------------------------------------------------------------------------------


def test_antes_in_game_files() -> None:
    text = rules.format_game(attrs.evolve(GAME, antes=(0, 100, 0, 0, 0, 0)))

    assert "ante = 0 100 0 0 0 0\nblinds = 50 100 0 0 0 0\n" in text
    assert rules.parse_game(text).antes == (0, 100, 0, 0, 0, 0)
    assert "ante = 10\n" in rules.format_game(GAME)
    assert rules.parse_game(text.replace("blinds", "blind")).antes == (0, 100, 0, 0, 0, 0)
    assert unknown_lines(text.encode(), "a.game") == []
    for name in rules.packaged_games():
        assert rules.load_game(name).has_antes == ("ante" in name)


def test_the_acpcs_reader_refuses_a_file_with_antes() -> None:
    """To it the line of the antes says nothing, and ``blinds`` is a line of blinds without a number."""
    lines = [
        line for line in rules.format_game(GAME).splitlines(keepends=True) if not line.startswith("ante")
    ]

    assert (
        refuses(rules.GameDefinitionError, "", rules.parse_game, "".join(lines)).acpc_line
        == "only read 0 blinds, need 6"
    )


@pytest.mark.parametrize(("line", "reason"), cases(__file__, "antes that cannot be played"))
def test_antes_that_cannot_be_played(line: str, reason: str) -> None:
    text = rules.format_game(GAME).replace("ante = 10", line)

    assert str(refuses(rules.GameDefinitionError, "", rules.parse_game, text, "a.game")) == reason


def test_compiled_code_refuses_antes() -> None:
    refuses(ValueError, "know no antes", game_array, GAME)


# --- raises -------------------------------------------------------------------------------------------------

HEADS_UP = rules.load_game("nolimit-2p")
"""Blinds of 100 and 50, stacks of 20000."""
NO_LIMIT_GAMES = [rules.load_game("nolimit-2p"), rules.load_game("nolimit-6p"), golden_game("lesscall")]

no_limit_hands = st.sampled_from(NO_LIMIT_GAMES).flatmap(lambda game: hands(game=game))
shares = st.integers(0, 64).map(lambda sixteenths: sixteenths / 16)
"""Of the pot; floats that are exact."""


def after_a_call(state: rules.BettingState) -> int:
    """Chips in the middle once the player to act has called."""
    return sum(state.apply(rules.CALL).spent)


# --- in pots -----------------------------------------------------------------------------------------------


@given(no_limit_hands, shares)
def test_a_raise_of_pots_is_the_nearest_legal_one_or_all_in(
    states: list[rules.HandState], share: float
) -> None:
    for state in [state.betting for state in states[:-1]]:
        assert state.position_to_act is not None
        stack, spent = state.game.stacks[state.position_to_act], state.spent[state.position_to_act]
        legal = state.legal_actions()
        total = state.max_spent + Fraction(share) * after_a_call(state)

        action = state.raise_of_pots(share)

        assert action in legal
        if not legal.can_raise:
            assert action == rules.CALL
        elif 2 * (total - spent) > stack - spent:
            assert action == rules.raise_to(stack)
        else:
            assert action == legal.raising_to(round(total))


@given(hands(), st.floats(0, 100))
def test_in_limit_games_there_is_one_raise_whatever_the_share(
    states: list[rules.HandState], share: float
) -> None:
    for state in [state.betting for state in states[:-1] if state.betting.game.is_limit]:
        expected = rules.LIMIT_RAISE if state.legal_actions().can_raise else rules.CALL

        assert state.raise_of_pots(share) == expected


@given(no_limit_hands, st.floats(0, 100))
def test_a_total_in_pots_and_pots_of_a_total_undo_each_other(
    states: list[rules.HandState], share: float
) -> None:
    for state in [state.betting for state in states[:-1]]:
        total = state.total_of_pots(share)

        assert total == pytest.approx(state.max_spent + share * after_a_call(state))
        assert state.pots_of_raise(total) == pytest.approx(share)


@given(no_limit_hands, st.integers(1, 12), st.integers(1, 12))
def test_simple_fractions_of_the_pot_are_exact_when_cut_down_to_chips(
    states: list[rules.HandState], numerator: int, denominator: int
) -> None:
    """Floats lose nothing here, so that ``int`` of two thirds is ``* 2 // 3``."""
    for state in [state.betting for state in states[:-1]]:
        exact = state.max_spent + after_a_call(state) * numerator // denominator

        assert int(state.total_of_pots(numerator / denominator)) == exact


def test_when_the_hand_is_over_nobody_raises() -> None:
    state = rules.parse_betting(HEADS_UP, "f")

    for ask in (state.pot_after_call, lambda: state.raise_of_pots(1.0), lambda: state.pots_of_raise(500)):
        refuses(rules.IllegalActionError, "the hand is over", ask)


# --- none --------------------------------------------------------------------------------------------------


@given(hands())
def test_there_is_a_reason_exactly_where_there_is_no_raise(states: list[rules.HandState]) -> None:
    for state in states[:-1]:
        legal = state.legal_actions()

        assert (legal.why_no_raise == "") == legal.can_raise


@pytest.mark.parametrize(
    ("game", "betting", "reason"),
    [
        (rules.load_game("limit-2p"), "rrr", "No more raises are allowed in this betting round."),
        (HEADS_UP, "r20000", "You have no chips left to raise with."),
        # docs/acpc-dealer.md E11: the caller is all-in for less, the small blind has folded.
        (golden_game("lesscall"), "cf", "Nobody is left who could call a raise."),
    ],
    ids=["the cap", "all chips", "nobody to call"],
)
def test_why_there_is_no_raise(game: rules.GameDefinition, betting: str, reason: str) -> None:
    assert rules.parse_betting(game, betting).legal_actions().why_no_raise == reason


def test_a_round_can_become_too_long_for_a_raise() -> None:
    state = rules.parse_betting(attrs.evolve(HEADS_UP, stacks=(10**6, 10**6)), "")
    while state.legal_actions().can_raise:
        state = state.apply(state.legal_actions().raising_to())

    assert state.raises_left() > 0
    assert state.legal_actions().why_no_raise == "This betting round has become too long for another raise."


# --- rake ---------------------------------------------------------------------------------------------------

LIMIT = rules.load_game("limit-3p")  # blinds 5 and 10, bets 10 and 20
BOARD = tuple(parse_cards("Ks9s4d2h7c"))
ACES, KINGS, NOTHING = (tuple(parse_cards(cards)) for cards in ("AhAd", "KhQc", "5c3c"))


def hand(betting: str, rake: str, *cards: tuple[int, ...], game: str = "limit-3p") -> rules.HandState:
    return rules.HandState(
        rules.parse_betting(rules.load_game(game).raked(rake), betting), 0, rules.Deal(cards, BOARD)
    )


def test_the_winner_pays_for_the_pot() -> None:
    final = hand("ccc/ccc/ccc/ccc", "10%", ACES, KINGS, NOTHING)

    assert rules.rake_taken(final.betting) == pytest.approx(3.0)  # of a pot of 30
    assert final.chips_won() == pytest.approx((17.0, -10.0, -10.0))


@pytest.mark.parametrize(
    ("betting", "rake", "taken"),
    [
        ("ccc/ccc/rcc/rcc", "10%,0.5", 5.0),  # it has a cap in small bets
        ("ccc/rff", "10%", 3.0),  # a bet that nobody called is not raked
        ("rff", "10%", 0.0),  # there was no flop
    ],
)
def test_no_more_is_taken_than_the_rule_says(betting: str, rake: str, taken: float) -> None:
    final = hand(betting, rake, ACES, KINGS, NOTHING)

    assert rules.rake_taken(final.betting) == pytest.approx(taken)
    assert sum(final.chips_won()) == pytest.approx(-taken)


def test_players_who_split_the_pot_share_the_rake() -> None:
    final = hand("fcc/cc/cc/cc", "5%", ACES, tuple(parse_cards("AcAs")), NOTHING)

    assert final.chips_won()[0] == final.chips_won()[1]
    assert sum(final.chips_won()) == pytest.approx(-0.05 * final.betting.pot)


@pytest.mark.parametrize("game", ["limit-6p", "nolimit-6p", "nolimit-6p-ante", "leduc", "kuhn-3p"])
def test_in_any_game_the_house_takes_what_the_players_lack_and_winners_never_lose(game: str) -> None:
    plain = rules.load_game(game)
    raked = plain.raked("7%,2")
    n, paid = plain.num_players, []
    ends: list[tuple[rules.HandState, tuple[float, ...]]] = []
    bots = [make_bot("random:raise=0.4") for _ in range(n)]
    Arena(raked, bots, 3).play(200, on_hand=lambda end, chips: ends.append((end, chips)))

    for end, chips in ends:
        before = rules.HandState(rules.parse_betting(plain, end.betting.text), 0, end.deal).chips_won()
        taken = rules.rake_taken(end.betting)
        paid.append(taken)
        assert sum(chips) == pytest.approx(-taken)
        assert taken <= 2 * (plain.small_bet or plain.big_blind) + 1e-9
        assert all(less <= more + 1e-9 for less, more in zip(chips, before, strict=True))
        losers = [position for position in range(n) if before[position] <= 0 and end.betting.folded[position]]
        assert all(chips[position] == before[position] for position in losers)
    assert max(paid) > 0


def test_all_in_equity_is_after_the_rake() -> None:
    """The mean over what may come, each run-out raked."""
    game = attrs.evolve(rules.load_game("nolimit-2p"), stacks=(1000, 1000)).raked("5%,1")
    betting = rules.parse_betting(game, "cc/r1000c//")
    board = tuple(parse_cards("Ks9s4d"))
    deck = [c for c in range(52) if c not in (*board, *KINGS, *ACES)]
    ends = [
        rules.HandState(betting, 0, rules.Deal((ACES, KINGS), (*board, turn, river))).chips_won()
        for number, turn in enumerate(deck)
        for river in deck[:number]
    ]

    found = all_in_chips(rules.HandState(betting, 0, rules.Deal((ACES, KINGS), BOARD)))

    assert found[0] == pytest.approx(sum(end[0] for end in ends) / len(ends))
    assert sum(found) == pytest.approx(-100.0)


@given(st.floats(0.1, 100), st.one_of(st.none(), st.floats(0.1, 1e6)))
def test_a_game_file_keeps_it(percent: float, cap: float | None) -> None:
    rake = rules.Rake(float(f"{percent:g}"), float("inf") if cap is None else float(f"{cap:g}"))
    game = attrs.evolve(LIMIT, rake=rake)

    text = rules.format_game(game)

    assert rules.parse_game(text) == game
    assert "blinds =" in text  # the ACPC's reader refuses it


@pytest.mark.parametrize("text", ["", "5", "x%", "0%", "101%", "5%,x", "5%,-1", "5%,0", "nan%", "5%,3,4"])
def test_what_is_not_a_rake_is_refused(text: str) -> None:
    if text == "5":
        assert LIMIT.raked(text) == LIMIT.raked("5%")  # the sign may be left out
        return
    refuses(ValueError, "expected a rake such as 5%", LIMIT.raked, text)


def test_a_game_file_with_another_rake_is_refused_by_line() -> None:
    text = rules.format_game(LIMIT.raked("5%,3")).replace("rake = 5 %", "rake = a lot")
    refuses(rules.GameDefinitionError, r":\d+: rake: expected a rake such as", rules.parse_game, text)


def test_aivat_does_without_such_games() -> None:
    assert why_not(LIMIT.raked("5%")) == "it is for games without a rake"
