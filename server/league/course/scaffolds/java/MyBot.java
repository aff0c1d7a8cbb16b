/** Your bot: what it does when it is to act. */
public final class MyBot {
    private static final String RANKS = "23456789TJQKA";

    /**
     * What to do.
     *
     * @param hand what you may know: see Hand.java
     * @param draw a generator, the same for the same RIVERBOAT_SEED
     * @return "f" fold, "c" call or check, "r" raise; in no-limit games "r" and your total over the hand
     */
    static String decide(Hand hand, java.util.Random draw) {
        int highest = -1;
        for (int i = 0; i < hand.cards.length(); i += 2) {
            highest = Math.max(highest, RANKS.indexOf(hand.cards.charAt(i)));
        }
        boolean isPair = hand.cards.length() > 2 && hand.cards.charAt(0) == hand.cards.charAt(2);
        if (hand.canRaise && (isPair || highest == 12)) { // a pair or an ace: raise by about the pot
            return hand.game.isLimit ? "r" : "r" + Math.min(hand.leastRaise + hand.pot, hand.mostRaise);
        }
        return hand.canFold && highest < 8 && draw.nextDouble() < 0.9 ? "f" : "c"; // nothing above a nine
    }

    public static void main(String[] words) throws java.io.IOException {
        Table.play(words, MyBot::decide);
    }
}
