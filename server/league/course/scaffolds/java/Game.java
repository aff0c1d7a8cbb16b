import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** What a game file says.  You need not change this file. */
public final class Game {
    public final boolean isLimit;
    public final int players;
    public final int rounds;
    public final long[] blinds;
    /** By position; antes are taken off. */
    public final long[] stacks;
    final long[] raiseSizes;
    final int[] first;
    final long[] mostRaises;

    Game(String[] lines) {
        Map<String, long[]> numbers = new HashMap<>();
        boolean limit = true;
        for (String line : lines) {
            String word = line.trim().toLowerCase(Locale.ROOT);
            if (word.equals("limit") || word.equals("nolimit")) {
                limit = word.equals("limit");
            } else if (word.contains("=")) {
                String[] sides = word.split("=", 2);
                numbers.put(sides[0].trim(),
                    Arrays.stream(sides[1].trim().split("\\s+")).mapToLong(Long::parseLong).toArray());
            }
        }
        if (!numbers.containsKey("numplayers") || !numbers.containsKey("numrounds")) {
            throw new IllegalArgumentException("what is played cannot be read");
        }
        isLimit = limit;
        players = (int) numbers.get("numplayers")[0];
        rounds = (int) numbers.get("numrounds")[0];
        blinds = numbers.containsKey("blinds") ? numbers.get("blinds") : numbers.get("blind");
        long[] antes = numbers.getOrDefault("ante", new long[] {0});
        stacks = numbers.getOrDefault("stack", filled(Integer.MAX_VALUE, players)).clone();
        for (int p = 0; p < players; p++) {
            stacks[p] -= antes.length == 1 ? antes[0] : antes[p];
        }
        raiseSizes = numbers.getOrDefault("raisesize", new long[0]);
        long[] firsts = numbers.getOrDefault("firstplayer", filled(1, rounds));
        first = Arrays.stream(firsts).mapToInt(position -> (int) position - 1).toArray();
        mostRaises = numbers.getOrDefault("maxraises", filled(255, rounds));
    }

    private static long[] filled(long value, int length) {
        long[] values = new long[length];
        Arrays.fill(values, value);
        return values;
    }
}
