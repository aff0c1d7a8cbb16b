/* A seat at a table: what is shown to you, what you may do.  You need not change this file. */
#ifndef TABLE_H
#define TABLE_H

#define MOST_PLAYERS 10
#define MOST_ROUNDS 4

typedef struct {
    int is_limit, players, rounds, hole_cards;
    int blind[MOST_PLAYERS], stack[MOST_PLAYERS]; /* by position; antes are taken off the stacks */
    int raise_size[MOST_ROUNDS], first[MOST_ROUNDS], most_raises[MOST_ROUNDS], board_cards[MOST_ROUNDS];
} Game;

typedef struct {
    const Game *game;
    int position;              /* yours, from 0; you are to act */
    unsigned hand_number;
    int round;                 /* 0 before the flop, 3 on the river */
    char cards[2 * 3 + 1];     /* yours, such as "AhKd" */
    char board[2 * 7 + 1];     /* those on the board, such as "2c7d9h" */
    int spent[MOST_PLAYERS];   /* chips that each position has put in over the whole hand */
    int folded[MOST_PLAYERS];
    int pot, to_call;          /* chips */
    int can_fold, can_raise;   /* what is legal; to call always is */
    int least_raise, most_raise; /* totals, as in "raise to", over the whole hand; only in no-limit games */
} Hand;

typedef struct {
    char letter;               /* 'f' fold, 'c' call or check, 'r' raise or bet */
    int raise_to;              /* with 'r' in no-limit games: your total over the whole hand */
} Action;

/* Yours, in my_bot.c: what to do. */
Action decide(const Hand *hand);

/* A number from 0 up to 1, the same for the same RIVERBOAT_SEED. */
double draw(void);

#endif
