/* Your bot: what it does when it is to act.  table.h says what a hand tells you. */
#include "table.h"

#include <string.h>

static int rank(char card) {
    return (int)(strchr("23456789TJQKA", card) - "23456789TJQKA");
}

Action decide(const Hand *hand) {
    Action action = {'c', 0};
    int highest = rank(hand->cards[0]);
    int is_pair = hand->cards[2] && hand->cards[0] == hand->cards[2];
    if (hand->cards[2] && rank(hand->cards[2]) > highest)
        highest = rank(hand->cards[2]);
    if (hand->can_raise && (is_pair || highest == 12)) { /* a pair or an ace: raise by about the pot */
        action.letter = 'r';
        action.raise_to = hand->least_raise + hand->pot;
        if (action.raise_to > hand->most_raise)
            action.raise_to = hand->most_raise;
    } else if (hand->can_fold && highest < 8 && draw() < 0.9) { /* nothing above a nine: mostly fold */
        action.letter = 'f';
    }
    return action;
}
