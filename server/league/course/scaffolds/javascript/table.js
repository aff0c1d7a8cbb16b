// A seat at a table: connects, reads, keeps the rules, asks `decide`.  You need not change this file.
//
// The protocol is that of the Annual Computer Poker Competition: the table sends MATCHSTATE lines, and whoever is
// to act sends the line back with ":" and an action behind it.
"use strict";
const fs = require("fs");
const net = require("net");

function fail(why) {
  process.stderr.write(`my_bot: ${why}\n`);
  process.exit(1);
}

/** Numbers by chance, the same for the same seed (SplitMix64). */
function generator(seed) {
  const mask = (1n << 64n) - 1n;
  let state = BigInt(seed) & mask;
  return () => {
    state = (state + 0x9e3779b97f4a7c15n) & mask;
    let z = state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
    return Number((z ^ (z >> 31n)) >> 11n) / 2 ** 53;
  };
}

/** What a game file says. */
class Game {
  constructor(lines) {
    const numbers = { firstplayer: [1, 1, 1, 1], maxraises: [255, 255, 255, 255], ante: [0] };
    this.isLimit = true;
    for (const line of lines) {
      const word = line.trim().toLowerCase();
      if (word === "limit" || word === "nolimit") this.isLimit = word === "limit";
      const found = /^(\w+)\s*=\s*(.*)$/.exec(line.trim());
      if (found) numbers[found[1].toLowerCase()] = (found[2].match(/-?\d+/g) || []).map(Number);
    }
    if (!numbers.numplayers || !numbers.numrounds) fail("what is played cannot be read");
    [this.players] = numbers.numplayers;
    [this.rounds] = numbers.numrounds;
    this.blinds = numbers.blinds || numbers.blind;
    const antes = numbers.ante;
    const stacks = numbers.stack || new Array(this.players).fill(2 ** 31 - 1);
    this.stacks = stacks.map((stack, p) => stack - (antes.length === 1 ? antes[0] : antes[p]));
    this.raiseSizes = numbers.raisesize || [];
    this.first = numbers.firstplayer.map((position) => position - 1);
    this.mostRaises = numbers.maxraises;
  }
}

/** A hand as you may see it.  Positions count from 0; chips are those of the whole hand, blinds included. */
class Hand {
  constructor(game, position, handNumber, betting, cards) {
    this.isLimit = game.isLimit;
    this.position = position; // yours
    this.handNumber = handNumber;
    this.round = 0; // 0 before the flop, 3 on the river
    const [holes, ...board] = cards.split("/");
    this.cards = holes.split("|")[position].match(/../g) || []; // yours: ["Ah", "Kd"]
    this.board = board.join("").match(/../g) || [];
    this.spent = game.blinds.slice(0, game.players); // by position
    this.folded = new Array(game.players).fill(false);
    this.game = game;
    this._most = Math.max(...this.spent);
    this._least = 2 * this._most || 1;
    this._raises = this._actions = 0;
    this._responded = new Set();
    this.toAct = this._next(game.first[0]);
    this.isOver = this.toAct < 0;
    for (const [, letter, size] of betting.matchAll(/([fcr])(\d*)/g)) this._apply(letter, Number(size));
    this._workOutWhatIsLegal();
  }

  _canAct(p) {
    return !this.folded[p] && this.spent[p] < this.game.stacks[p];
  }

  _next(start) {
    for (let k = 0; k < this.game.players; k++) {
      const p = (start + k) % this.game.players;
      if (this._canAct(p)) return p;
    }
    return -1;
  }

  _apply(letter, size) {
    const game = this.game;
    const p = this.toAct;
    this._actions += 1;
    if (letter === "f") {
      this.folded[p] = true;
    } else if (letter === "c") {
      this.spent[p] = Math.min(game.stacks[p], this._most);
    } else {
      if (game.isLimit) size = Math.min(game.stacks[p], this._most + game.raiseSizes[this.round]);
      else this._least = Math.max(this._least, 2 * size - this._most);
      this._most = this.spent[p] = size;
      this._raises += 1;
      this._responded.clear();
    }
    this._responded.add(p);
    const positions = [...Array(game.players).keys()];
    const able = positions.filter((each) => this._canAct(each));
    const waiting = able.filter((each) => !this._responded.has(each));
    const live = this.folded.filter((folded) => !folded).length;
    if (live === 1 || (!waiting.length && (able.length < 2 || this.round === game.rounds - 1))) {
      this.isOver = true;
    } else if (waiting.length) {
      this.toAct = this._next((p + 1) % game.players);
    } else {
      this.round += 1;
      this._raises = this._actions = 0;
      this._responded.clear();
      this._least = this._most + Math.max(1, ...game.blinds);
      this.toAct = this._next(game.first[this.round]);
    }
  }

  _workOutWhatIsLegal() {
    if (this.isOver) return;
    const { game, toAct: p } = this;
    const stack = game.stacks[p];
    const able = this.spent.filter((_, each) => this._canAct(each)).length;
    this.pot = this.spent.reduce((sum, chips) => sum + chips, 0);
    this.toCall = Math.min(stack, this._most) - this.spent[p];
    this.canFold = this.spent[p] < this._most; // to call is always legal
    this.canRaise =
      able > 1 && this._raises < game.mostRaises[this.round] && this._actions + game.players <= 64 &&
      (game.isLimit || stack > this._most);
    this.leastRaise = Math.min(this._least, stack); // totals, as in "raise to"; only in no-limit games
    this.mostRaise = stack;
  }
}

/** Play a match: HOST and PORT stand on the command line. */
function play(decide) {
  const [host, port] = process.argv.slice(2);
  if (!port) {
    process.stderr.write("usage: my_bot.js HOST PORT\n");
    process.exit(2);
  }
  const draw = generator(process.env.RIVERBOAT_SEED || process.pid);
  const path = process.env.RIVERBOAT_GAME;
  let game = path && fs.existsSync(path) ? new Game(fs.readFileSync(path, "utf8").split("\n")) : null;

  function read(line) {
    if (line.startsWith("#game ")) game = new Game(line.slice(6).split(";"));
    if (line === "" || line[0] === "#" || line[0] === ";") return;
    const found = /^MATCHSTATE:(\d+):(\d+):([^:]*):(.*)$/.exec(line);
    if (!found) fail(`not a line of this protocol: ${line}`);
    if (!game) fail("nobody says what is played: set RIVERBOAT_GAME to a game file");
    const hand = new Hand(game, Number(found[1]), Number(found[2]), found[3], found[4]);
    if (!hand.isOver && hand.toAct === hand.position) table.write(`${line}:${decide(hand, draw)}\r\n`); // one write
  }

  let unread = "";
  const table = net.connect({ host, port: Number(port), noDelay: true });
  table.setEncoding("utf8");
  table.on("connect", () => table.write("VERSION:2.0.0\r\n#riverboat/1 game\r\n"));
  table.on("error", (error) => fail(`the table has gone: ${error.message}`));
  table.on("data", (data) => {
    const lines = (unread + data).split("\n"); // lines come in any number of pieces
    unread = lines.pop();
    for (const line of lines) read(line.replace(/\r$/, ""));
  });
}

module.exports = { play, Game, Hand };
