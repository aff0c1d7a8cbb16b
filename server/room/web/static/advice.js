// What a bot would do here, for a person who plays against the house's bots alone (server/room/web/advice.py).
import {make} from "./scene.js";

export class Advice {
  constructor(section, say) {
    this.list = section.querySelector("dl");
    this.button = section.querySelector("button");
    this.bot = section.querySelector("select");
    this.last = section.querySelector("#review");
    if (this.last) {
      this.last.addEventListener("click", () => {
        this.last.disabled = true;
        this.list.replaceChildren(make("dt", "", `hand ${this.hand + 1}`), make("dd", "", "is being solved …"));
        say(`#advice review ${this.hand}`);
      });
    }
    this.button.addEventListener("click", () => {
      this.button.disabled = true;
      this.list.replaceChildren(make("dt", "", this.bot.value), make("dd", "", "is thinking …"));
      say(`#advice ${this.bot.value}`);
    });
  }

  // The player is to act in a state, or is not.
  turn(state) {
    const turn = state ? state.split(":").slice(2, 4).join(":") : "";
    if (turn !== this.at) this.list.replaceChildren();
    this.at = turn;
    this.button.disabled = !turn;
  }

  // A hand of the player's is over.
  over(hand) {
    this.hand = hand;
    if (this.last) this.last.disabled = false;
  }

  // An answer has come; if the turn is over, it is of no use.
  hear(message, amount) {
    if (message.turn && message.turn !== this.at) return;
    const rows = message.rows.map(([name, text]) => [name || (message.hand === undefined ? "" : `hand ${message.hand + 1}`), text]);
    if (message.chances) {
      const chances = Object.entries(message.chances).filter(([, chance]) => chance >= 0.005);
      const words = chances.map(([kind, chance]) => `${kind} ${Math.round(100 * chance)} %`).join(", ");
      const raise = /^r[0-9]+$/.test(message.does) ? `; now it would raise to ${amount(Number(message.does.slice(1)))}` : "";
      rows.unshift([message.bot, `${words}${raise}`]);
    }
    this.list.replaceChildren(...rows.flatMap(([name, text]) => [make("dt", "", name), make("dd", "", text)]));
    this.button.disabled = !this.at;
  }
}
