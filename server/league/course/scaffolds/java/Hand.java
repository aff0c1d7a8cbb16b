import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A hand as you may see it; chips are those of the whole hand, blinds included.  You need not change this file. */
public final class Hand {
    private static final Pattern ACTION = Pattern.compile("([fcr])(\\d*)");

    public final Game game;
    /** Yours, from 0. */
    public final int position;
    public final long handNumber;
    /** Yours, such as "AhKd". */
    public final String cards;
    /** Those on the board, such as "2c7d9h". */
    public final String board;
    /** By position. */
    public final long[] spent;
    public final boolean[] folded;
    /** 0 before the flop, 3 on the river. */
    public int round;
    public int toAct;
    public boolean isOver;
    public long pot;
    public long toCall;
    /** What is legal; to call always is. */
    public boolean canFold;
    public boolean canRaise;
    /** Totals, as in "raise to"; only in no-limit games. */
    public long leastRaise;
    public long mostRaise;

    private long most;
    private long least;
    private long raises;
    private long actions;
    private boolean[] responded;

    Hand(Game game, int position, long handNumber, String betting, String shown) {
        this.game = game;
        this.position = position;
        this.handNumber = handNumber;
        String[] parts = shown.split("/", 2);
        String[] holes = parts[0].split("\\|", -1);
        cards = holes[position];
        board = parts.length > 1 ? parts[1].replace("/", "") : "";
        spent = Arrays.copyOf(game.blinds, game.players);
        folded = new boolean[game.players];
        responded = new boolean[game.players];
        most = Arrays.stream(spent).max().orElse(0);
        least = most > 0 ? 2 * most : 1;
        toAct = next(game.first[0]);
        isOver = toAct < 0;
        Matcher found = ACTION.matcher(betting);
        while (found.find()) {
            apply(found.group(1).charAt(0), found.group(2).isEmpty() ? 0 : Long.parseLong(found.group(2)));
        }
        workOutWhatIsLegal();
    }

    private boolean canAct(int p) {
        return !folded[p] && spent[p] < game.stacks[p];
    }

    private int next(int start) {
        for (int k = 0; k < game.players; k++) {
            if (canAct((start + k) % game.players)) {
                return (start + k) % game.players;
            }
        }
        return -1;
    }

    private void apply(char letter, long size) {
        int p = toAct;
        actions++;
        if (letter == 'f') {
            folded[p] = true;
        } else if (letter == 'c') {
            spent[p] = Math.min(game.stacks[p], most);
        } else {
            if (game.isLimit) {
                size = Math.min(game.stacks[p], most + game.raiseSizes[round]);
            } else {
                least = Math.max(least, 2 * size - most);
            }
            most = spent[p] = size;
            raises++;
            responded = new boolean[game.players];
        }
        responded[p] = true;
        int live = 0;
        int able = 0;
        boolean isWaiting = false;
        for (int each = 0; each < game.players; each++) {
            live += folded[each] ? 0 : 1;
            able += canAct(each) ? 1 : 0;
            isWaiting |= canAct(each) && !responded[each];
        }
        if (live == 1 || (!isWaiting && (able < 2 || round == game.rounds - 1))) {
            isOver = true;
        } else if (isWaiting) {
            toAct = next(p + 1);
        } else {
            round++;
            raises = actions = 0;
            responded = new boolean[game.players];
            least = most + Math.max(1, Arrays.stream(game.blinds).max().orElse(1));
            toAct = next(game.first[round]);
        }
    }

    private void workOutWhatIsLegal() {
        if (isOver) {
            return;
        }
        long stack = game.stacks[toAct];
        int able = 0;
        for (int each = 0; each < game.players; each++) {
            able += canAct(each) ? 1 : 0;
            pot += spent[each];
        }
        toCall = Math.min(stack, most) - spent[toAct];
        canFold = spent[toAct] < most;
        canRaise = able > 1 && raises < game.mostRaises[round] && actions + game.players <= 64
            && (game.isLimit || stack > most);
        leastRaise = Math.min(least, stack);
        mostRaise = stack;
    }
}
