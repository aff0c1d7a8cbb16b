//! Your bot: what it does when it is to act.  hand.rs says what a hand tells you.
mod hand;
mod table;

use hand::{Action, Hand};
use table::Draw;

fn rank(card: u8) -> usize {
    b"23456789TJQKA".iter().position(|&each| each == card).unwrap_or(0)
}

/// What to do; `draw` gives numbers from 0 up to 1, the same for the same RIVERBOAT_SEED.
fn decide(hand: &Hand, draw: &mut Draw) -> Action {
    let ranks: Vec<usize> = hand.cards.bytes().step_by(2).map(rank).collect();
    let highest = ranks.iter().copied().max().unwrap_or(0);
    let is_pair = ranks.len() > 1 && ranks[0] == ranks[1];
    if hand.can_raise && (is_pair || highest == 12) {
        // a pair or an ace: raise by about the pot; in limit games the size says nothing
        return Action::Raise((hand.least_raise + hand.pot).min(hand.most_raise));
    }
    if hand.can_fold && highest < 8 && draw.next() < 0.9 {
        return Action::Fold; // nothing above a nine: mostly fold
    }
    Action::Call
}

fn main() {
    table::play(decide);
}
