// What a player has done at this table since the page was first opened in its tab.
import {make} from "./scene.js";

const NONE = {last: -1, hands: 0, won: 0, blinds: 0, played: 0, raised: 0, showdowns: 0};

export class Tally {
  // `keep` is given the sums after every hand; `known` are those that it was given before a reload.
  constructor(list, amount, known, keep) {
    this.list = list;
    this.amount = amount;
    this.sums = {...NONE, ...known};
    this.keep = keep;
    this.tell();
  }

  // A hand that is over.
  hand(scene) {
    const own = scene.players.find((player) => player.you);
    if (!own || scene.hand === this.sums.last) return; // the end of a hand may be told again
    this.sums.last = scene.hand;
    const street = scene.story.findIndex((each) => each.cards.length && !each.text.includes(" shows "));
    const first = scene.story.slice(1, street < 0 ? undefined : street).map((each) => each.text);
    const did = (words) => first.some((text) => words.some((word) => text.startsWith(`${own.name} ${word}`)));
    this.sums.hands += 1;
    this.sums.won += own.won;
    this.sums.blinds += scene.blind ? own.won / scene.blind : 0;
    this.sums.played += did(["calls", "bets", "raises"]);
    this.sums.raised += did(["bets", "raises"]);
    this.sums.showdowns += Boolean(own.shows);
    this.keep(this.sums);
    this.tell();
  }

  tell() {
    const share = (count) => this.sums.hands ? `${Math.round(100 * count / this.sums.hands)} %` : "–";
    const rows = [
      ["Hands", this.sums.hands],
      ["Won", (this.sums.won > 0 ? "+" : "") + this.amount(this.sums.won)],
      ["bb/100", this.sums.hands ? (100 * this.sums.blinds / this.sums.hands).toFixed(0) : "–"],
      ["Put chips in before the flop", share(this.sums.played)],
      ["Raised before the flop", share(this.sums.raised)],
      ["Went to a showdown", share(this.sums.showdowns)],
    ];
    this.list.replaceChildren(...rows.flatMap(([name, value]) => [make("dt", "", name), make("dd", "", String(value))]));
  }
}
