// What the host of a private table decides, and the invitation for everybody.
import {make} from "./scene.js";

const $ = (id) => document.getElementById(id);

export class Hosting {
  constructor(say) {
    this.say = (text) => say(`#host ${text}`);
    this.names = "";
    $("invitation").textContent = $("invitation").href;
    $("copy").addEventListener("click", async () => {
      await navigator.clipboard.writeText($("invitation").href);
      $("copy").textContent = "Copied";
    });
    $("host-pace").addEventListener("change", (event) => this.say(`pace ${event.target.value}`));
    if ($("host-blinds")) $("host-blinds").addEventListener("change", (event) => event.target.reportValidity() && this.say(`blinds ${event.target.value}`));
    $("host-add").addEventListener("change", (event) => this.once(event.target, (bot) => this.say(`add ${bot}`)));
    $("host-remove").addEventListener("change", (event) => this.once(event.target, (name) => {
      this.say(`${event.target.selectedOptions[0].dataset.house ? "remove" : "kick"} ${name}`);
    }));
    this.wish = null; // whether the table is to be paused, until it is so: when the hand is over
    $("host-pause").addEventListener("click", () => {
      this.wish = $("host-pause").getAttribute("aria-pressed") !== "true";
      this.showPause(this.wish);
      this.say(this.wish ? "pause" : "resume");
    });
  }

  showPause(isPaused) {
    $("host-pause").setAttribute("aria-pressed", String(isPaused));
    $("host-pause").textContent = isPaused ? "Go on" : "Pause";
  }

  once(select, act) {
    if (select.value) act(select.value);
    select.value = "";
  }

  // Who sits at the table, and whether oneself, by one's name, is the host.
  look(table, name) {
    $("host").hidden = !name || name !== table.host;
    if ($("host").hidden || this.wish === table.paused) this.wish = null;
    this.showPause(this.wish ?? table.paused);
    $("who-hosts").textContent = table.host ? `The host is ${table.host}.` : "Who sits down first is the host.";
    const others = table.seats.filter((seat) => seat && seat.name !== table.host);
    const names = others.map((seat) => seat.name).join(" ");
    if (names === this.names) return;
    this.names = names;
    $("host-remove").replaceChildren(make("option", "", "–"), ...others.map((seat) => {
      const option = make("option", "", seat.name);
      option.value = seat.name;
      if (seat.house) option.dataset.house = "yes";
      return option;
    }));
    $("host-remove").firstChild.value = "";
  }
}
