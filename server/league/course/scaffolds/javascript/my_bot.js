// Your bot: what it does when it is to act.  table.js says what a hand tells you.
"use strict";
const { play } = require("./table.js");

const RANKS = "23456789TJQKA";

/**
 * @param {object} hand what you may know: see Hand in table.js
 * @param {() => number} draw a number from 0 up to 1, the same for the same RIVERBOAT_SEED
 * @returns {string} "f" fold, "c" call or check, "r" raise; in no-limit games "r" and your total over the hand
 */
function decide(hand, draw) {
  const ranks = hand.cards.map((card) => RANKS.indexOf(card[0])).sort((a, b) => a - b);
  const highest = ranks[ranks.length - 1];
  const isPair = ranks.length > 1 && ranks[0] === ranks[1];
  if (hand.canRaise && (isPair || highest === 12)) {
    // a pair or an ace: raise by about the pot
    return hand.isLimit ? "r" : `r${Math.min(hand.leastRaise + hand.pot, hand.mostRaise)}`;
  }
  return hand.canFold && highest < 8 && draw() < 0.9 ? "f" : "c"; // nothing above a nine: mostly fold
}

play(decide);
