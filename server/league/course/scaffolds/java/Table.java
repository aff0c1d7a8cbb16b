import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A seat at a table: connects, reads, asks what to do.  You need not change this file.
 *
 * <p>The protocol is that of the Annual Computer Poker Competition: the table sends MATCHSTATE lines, and whoever is
 * to act sends the line back with ":" and an action behind it.
 */
final class Table {
    private static final Pattern STATE = Pattern.compile("MATCHSTATE:(\\d+):(\\d+):([^:]*):(.*)");

    private Table() {}

    static void play(String[] words, BiFunction<Hand, Random, String> decide) throws IOException {
        if (words.length != 2) {
            System.err.println("usage: java MyBot HOST PORT");
            System.exit(2);
        }
        String seed = System.getenv("RIVERBOAT_SEED");
        String path = System.getenv("RIVERBOAT_GAME");
        Random draw = seed == null ? new Random() : new Random(Long.parseLong(seed));
        Game game = null;
        if (path != null && Files.isRegularFile(Path.of(path))) {
            game = new Game(Files.readString(Path.of(path)).split("\n"));
        }
        try (Socket socket = new Socket(words[0], Integer.parseInt(words[1]))) {
            socket.setTcpNoDelay(true);
            OutputStream table = socket.getOutputStream();
            table.write("VERSION:2.0.0\r\n#riverboat/1 game\r\n".getBytes(StandardCharsets.US_ASCII));
            BufferedReader lines =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("#game ")) {
                    game = new Game(line.substring(6).split(";"));
                }
                if (line.isEmpty() || line.startsWith("#") || line.startsWith(";")) {
                    continue;
                }
                Matcher found = STATE.matcher(line);
                if (!found.matches()) {
                    throw new IOException("not a line of this protocol: " + line);
                }
                if (game == null) {
                    throw new IOException("nobody says what is played: set RIVERBOAT_GAME to a game file");
                }
                Hand hand = new Hand(game, Integer.parseInt(found.group(1)), Long.parseLong(found.group(2)),
                    found.group(3), found.group(4));
                if (!hand.isOver && hand.toAct == hand.position) {
                    String answer = line + ":" + decide.apply(hand, draw) + "\r\n"; // one write
                    table.write(answer.getBytes(StandardCharsets.US_ASCII));
                }
            }
        }
    }
}
