// What a player has done at this table since the page was opened.
import {make} from "./scene.js";

export class Tally {
  constructor(list, amount) {
    this.list = list;
    this.amount = amount;
    this.hands = this.won = this.blinds = this.played = this.raised = this.showdowns = 0;
    this.tell();
  }

  // A hand that is over.
  hand(scene) {
    const own = scene.players.find((player) => player.you);
    if (!own) return;
    const street = scene.story.findIndex((each) => each.cards.length && !each.text.includes(" shows "));
    const first = scene.story.slice(1, street < 0 ? undefined : street).map((each) => each.text);
    const did = (words) => first.some((text) => words.some((word) => text.startsWith(`${own.name} ${word}`)));
    this.hands += 1;
    this.won += own.won;
    this.blinds += scene.blind ? own.won / scene.blind : 0;
    this.played += did(["calls", "bets", "raises"]);
    this.raised += did(["bets", "raises"]);
    this.showdowns += Boolean(own.shows);
    this.tell();
  }

  tell() {
    const share = (count) => this.hands ? `${Math.round(100 * count / this.hands)} %` : "–";
    const rows = [
      ["Hands", this.hands],
      ["Won", (this.won > 0 ? "+" : "") + this.amount(this.won)],
      ["bb/100", this.hands ? (100 * this.blinds / this.hands).toFixed(0) : "–"],
      ["Put chips in before the flop", share(this.played)],
      ["Raised before the flop", share(this.raised)],
      ["Went to a showdown", share(this.showdowns)],
    ];
    this.list.replaceChildren(...rows.flatMap(([name, value]) => [make("dt", "", name), make("dd", "", String(value))]));
  }
}
