/* A seat at a table: connects, reads, keeps the rules, asks `decide`.  You need not change this file.
 *
 * The protocol is that of the Annual Computer Poker Competition: the table sends MATCHSTATE lines, and whoever
 * is to act sends the line back with ':' and an action behind it. */
#define _POSIX_C_SOURCE 200112L
#include "table.h"

#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST_LINE 8192
#define NO_STACK 2147483647

static void fail(const char *what, const char *detail) {
    fprintf(stderr, "my_bot: %s: %s\n", what, detail);
    exit(1);
}

/* --- numbers by chance ------------------------------------------------------------------------------------ */

static unsigned long long generator;

double draw(void) { /* SplitMix64 */
    unsigned long long z = (generator += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

/* --- the game ---------------------------------------------------------------------------------------------- */

static int numbers(const char *text, int *values, int most) {
    int count = 0;
    while (count < most) {
        char *end;
        while (*text == ' ' || *text == '=' || *text == '\t')
            text++;
        values[count] = (int)strtol(text, &end, 10);
        if (end == text)
            break;
        text = end;
        count++;
    }
    return count;
}

static int starts(const char *line, const char *word) {
    while (*word)
        if (tolower((unsigned char)*line++) != *word++)
            return 0;
    return 1;
}

/* Reads a game file whose lines are joined by `separator`. */
static void read_game(Game *game, const char *text, char separator) {
    int antes[MOST_PLAYERS] = {0}, num_antes = 0, one, i;
    memset(game, 0, sizeof *game);
    game->is_limit = 1;
    for (i = 0; i < MOST_PLAYERS; i++)
        game->stack[i] = NO_STACK;
    for (i = 0; i < MOST_ROUNDS; i++) {
        game->first[i] = 1;
        game->most_raises[i] = 255;
    }
    while (text && *text) {
        const char *next = strchr(text, separator);
        if (starts(text, "limit"))
            game->is_limit = 1;
        else if (starts(text, "nolimit"))
            game->is_limit = 0;
        else if (starts(text, "numplayers"))
            numbers(text + 10, &game->players, 1);
        else if (starts(text, "numrounds"))
            numbers(text + 9, &game->rounds, 1);
        else if (starts(text, "numholecards"))
            numbers(text + 12, &game->hole_cards, 1);
        else if (starts(text, "stack"))
            numbers(text + 5, game->stack, MOST_PLAYERS);
        else if (starts(text, "blinds"))
            numbers(text + 6, game->blind, MOST_PLAYERS);
        else if (starts(text, "blind"))
            numbers(text + 5, game->blind, MOST_PLAYERS);
        else if (starts(text, "raisesize"))
            numbers(text + 9, game->raise_size, MOST_ROUNDS);
        else if (starts(text, "firstplayer"))
            numbers(text + 11, game->first, MOST_ROUNDS);
        else if (starts(text, "maxraises"))
            numbers(text + 9, game->most_raises, MOST_ROUNDS);
        else if (starts(text, "numboardcards"))
            numbers(text + 13, game->board_cards, MOST_ROUNDS);
        else if (starts(text, "ante"))
            num_antes = numbers(text + 4, antes, MOST_PLAYERS);
        text = next ? next + 1 : NULL;
    }
    one = num_antes == 1;
    for (i = 0; i < MOST_PLAYERS; i++)
        game->stack[i] -= antes[one ? 0 : i];
    if (game->players < 2 || game->players > MOST_PLAYERS || game->rounds < 1 || game->rounds > MOST_ROUNDS)
        fail("what is played cannot be read", "ask for it (#riverboat/1 game), or set RIVERBOAT_GAME");
}

static int read_game_file(Game *game, const char *path) {
    static char text[65536];
    FILE *file = fopen(path, "r");
    size_t size;
    if (!file)
        return 0;
    size = fread(text, 1, sizeof text - 1, file);
    text[size] = 0;
    fclose(file);
    read_game(game, text, '\n');
    return 1;
}

/* --- the rules --------------------------------------------------------------------------------------------- */

typedef struct {
    Hand hand;
    int most, least_raise, raises, actions, to_act, is_over;
    int responded[MOST_PLAYERS];
} Betting;

static int can_act(const Betting *b, int p) {
    return !b->hand.folded[p] && b->hand.spent[p] < b->hand.game->stack[p];
}

static int next_to_act(const Betting *b, int start) {
    int k, players = b->hand.game->players;
    for (k = 0; k < players; k++)
        if (can_act(b, (start + k) % players))
            return (start + k) % players;
    return -1;
}

static int most_of(const int *values, int count) {
    int i, most = values[0];
    for (i = 1; i < count; i++)
        if (values[i] > most)
            most = values[i];
    return most;
}

static void begin(Betting *b, const Game *game) {
    memset(b, 0, sizeof *b);
    b->hand.game = game;
    memcpy(b->hand.spent, game->blind, sizeof b->hand.spent);
    b->most = most_of(game->blind, game->players);
    b->least_raise = b->most ? 2 * b->most : 1;
    b->to_act = next_to_act(b, game->first[0] - 1);
    b->is_over = b->to_act < 0;
}

static void apply(Betting *b, char letter, int size) {
    const Game *game = b->hand.game;
    int p = b->to_act, live = 0, able = 0, waiting = 0, i;
    b->actions++;
    if (letter == 'f') {
        b->hand.folded[p] = 1;
    } else if (letter == 'c') {
        b->hand.spent[p] = b->most < game->stack[p] ? b->most : game->stack[p];
    } else {
        if (game->is_limit) {
            size = b->most + game->raise_size[b->hand.round];
            size = size < game->stack[p] ? size : game->stack[p];
        } else if (2 * size - b->most > b->least_raise) {
            b->least_raise = 2 * size - b->most;
        }
        b->most = b->hand.spent[p] = size;
        b->raises++;
        memset(b->responded, 0, sizeof b->responded);
    }
    b->responded[p] = 1;
    for (i = 0; i < game->players; i++) {
        live += !b->hand.folded[i];
        able += can_act(b, i);
        waiting += can_act(b, i) && !b->responded[i];
    }
    if (live == 1 || (!waiting && (able < 2 || b->hand.round == game->rounds - 1))) {
        b->is_over = 1;
    } else if (waiting) {
        b->to_act = next_to_act(b, p + 1);
    } else {
        int blind = most_of(game->blind, game->players);
        b->hand.round++;
        b->raises = b->actions = 0;
        memset(b->responded, 0, sizeof b->responded);
        b->least_raise = b->most + (blind > 1 ? blind : 1);
        b->to_act = next_to_act(b, game->first[b->hand.round] - 1);
    }
}

static void work_out_what_is_legal(Betting *b) {
    Hand *hand = &b->hand;
    const Game *game = hand->game;
    int p = b->to_act, stack = game->stack[p], able = 0, i;
    for (i = 0; i < game->players; i++) {
        able += can_act(b, i);
        hand->pot += hand->spent[i];
    }
    hand->to_call = (b->most < stack ? b->most : stack) - hand->spent[p];
    hand->can_fold = hand->spent[p] < b->most;
    hand->can_raise =
        able > 1 && b->raises < game->most_raises[hand->round] && b->actions + game->players <= 64;
    if (!game->is_limit) {
        hand->least_raise = b->least_raise <= stack ? b->least_raise : stack;
        hand->most_raise = stack;
        if (stack <= b->most)
            hand->can_raise = 0;
    }
}

/* --- the conversation -------------------------------------------------------------------------------------- */

static int table = -1;

/* One write for a whole answer: two of them would cost 40 ms. */
static void say(const char *text) {
    size_t size = strlen(text);
    while (size) {
        ssize_t sent = send(table, text, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            fail("the table has gone", strerror(errno));
        text += sent;
        size -= (size_t)sent;
    }
}

/* The next line without its end; 0 when the table has closed.  Lines come in any number of pieces. */
static int next_line(char *line) {
    static char buffer[MOST_LINE];
    static size_t used = 0;
    for (;;) {
        char *end = memchr(buffer, '\n', used);
        ssize_t got;
        if (end) {
            size_t length = (size_t)(end - buffer);
            memcpy(line, buffer, length);
            line[length] = 0;
            if (length && line[length - 1] == '\r')
                line[length - 1] = 0;
            used -= length + 1;
            memmove(buffer, end + 1, used);
            return 1;
        }
        if (used == sizeof buffer)
            fail("a line is too long", "");
        got = recv(table, buffer + used, sizeof buffer - used, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return 0;
        used += (size_t)got;
    }
}

static void copy_cards(char *to, const char *from, size_t most) {
    size_t used = 0;
    for (; *from && used + 1 < most; from++)
        if (*from != '/')
            to[used++] = *from;
    to[used] = 0;
}

/* Answers a MATCHSTATE line where it is our turn. */
static void answer(const Game *game, const char *line) {
    static char reply[MOST_LINE + 32];
    char cards[MOST_LINE];
    const char *betting = strchr(strchr(line + 11, ':') + 1, ':');
    const char *end = betting ? strchr(betting + 1, ':') : NULL;
    const char *at;
    char *part;
    int position, p;
    unsigned hand_number;
    Betting b;
    Action action;
    if (!end || sscanf(line, "MATCHSTATE:%d:%u:", &position, &hand_number) != 2)
        fail("not a state", line);
    begin(&b, game);
    for (at = betting + 1; at < end && !b.is_over; at++)
        if (*at != '/' && !isdigit((unsigned char)*at))
            apply(&b, *at, atoi(at + 1));
    if (b.is_over || b.to_act != position)
        return;
    b.hand.position = position;
    b.hand.hand_number = hand_number;
    strcpy(cards, end + 1);
    part = cards;
    for (p = 0; p < position && part; p++)
        part = strchr(part, '|') ? strchr(part, '|') + 1 : NULL;
    if (part)
        snprintf(b.hand.cards, sizeof b.hand.cards, "%.*s", 2 * game->hole_cards, part);
    copy_cards(b.hand.board, strchr(end, '/') ? strchr(end, '/') : "", sizeof b.hand.board);
    work_out_what_is_legal(&b);
    action = decide(&b.hand);
    if (action.letter == 'r' && !game->is_limit)
        snprintf(reply, sizeof reply, "%s:r%d\r\n", line, action.raise_to);
    else
        snprintf(reply, sizeof reply, "%s:%c\r\n", line, action.letter);
    say(reply);
}

static int connect_to(const char *host, const char *port) {
    struct addrinfo hints, *found, *each;
    int one = 1, s = -1;
    memset(&hints, 0, sizeof hints);
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(host, port, &hints, &found) != 0)
        return -1;
    for (each = found; each && s < 0; each = each->ai_next) {
        s = socket(each->ai_family, each->ai_socktype, each->ai_protocol);
        if (s >= 0 && connect(s, each->ai_addr, each->ai_addrlen) != 0) {
            close(s);
            s = -1;
        }
    }
    freeaddrinfo(found);
    if (s >= 0)
        setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return s;
}

int main(int argc, char **argv) {
    static char line[MOST_LINE + 1];
    Game game;
    const char *seed = getenv("RIVERBOAT_SEED"), *path = getenv("RIVERBOAT_GAME");
    int knows_game;
    if (argc != 3) {
        fprintf(stderr, "usage: my_bot HOST PORT\n");
        return 2;
    }
    generator = seed ? strtoull(seed, NULL, 10) : (unsigned long long)getpid();
    knows_game = path && read_game_file(&game, path);
    table = connect_to(argv[1], argv[2]);
    if (table < 0)
        fail("cannot connect", argv[2]);
    say("VERSION:2.0.0\r\n#riverboat/1 game\r\n");
    while (next_line(line)) {
        if (strncmp(line, "#game ", 6) == 0) {
            read_game(&game, line + 6, ';');
            knows_game = 1;
        } else if (strncmp(line, "MATCHSTATE:", 11) == 0) {
            if (!knows_game)
                fail("nobody says what is played", "set RIVERBOAT_GAME to a game file");
            answer(&game, line);
        } else if (line[0] && line[0] != '#' && line[0] != ';') {
            fail("not a line of this protocol", line);
        }
    }
    close(table);
    return 0;
}
