// What the host of a private table decides, and the invitation for everybody.
import {make} from "./scene.js";

const $ = (id) => document.getElementById(id);

// A button for what is so when the hand is over: until then it shows the host's wish.
class Switch {
  constructor(button, begin, end, tell) {
    this.button = button;
    this.words = {true: end, false: begin};
    this.wish = null;
    button.addEventListener("click", () => {
      this.wish = button.getAttribute("aria-pressed") !== "true";
      this.show(this.wish);
      tell(this.wish);
    });
  }

  show(isOn) {
    this.button.setAttribute("aria-pressed", String(isOn));
    this.button.textContent = this.words[isOn];
  }

  look(isOn, isHost) {
    if (!isHost || this.wish === isOn) this.wish = null;
    this.show(this.wish ?? isOn);
  }
}

export class Hosting {
  constructor(say) {
    this.say = (text) => say(`#host ${text}`);
    this.names = "";
    $("invitation").textContent = $("invitation").href;
    $("copy").addEventListener("click", async () => {
      await navigator.clipboard.writeText($("invitation").href);
      $("copy").textContent = "Copied";
    });
    $("host-pace").addEventListener("change", (event) => event.target.reportValidity() && this.say(`pace ${event.target.value}`));
    if ($("host-blinds")) $("host-blinds").addEventListener("change", (event) => event.target.reportValidity() && this.say(`blinds ${event.target.value}`));
    $("host-add").addEventListener("change", (event) => this.once(event.target, (bot) => this.say(`add ${bot}`)));
    $("host-remove").addEventListener("change", (event) => this.once(event.target, (name) => {
      this.say(`${event.target.selectedOptions[0].dataset.house ? "remove" : "kick"} ${name}`);
    }));
    this.pause = new Switch($("host-pause"), "Pause", "Go on", (isOn) => this.say(isOn ? "pause" : "resume"));
    this.chat = new Switch($("host-chat"), "Allow chat", "End chat", (isOn) => this.say(`chat ${isOn ? "on" : "off"}`));
  }

  once(select, act) {
    if (select.value) act(select.value);
    select.value = "";
  }

  // Who sits at the table, and whether oneself, by one's name, is the host.
  look(table, name) {
    $("host").hidden = !name || name !== table.host;
    this.pause.look(table.paused, !$("host").hidden);
    this.chat.look(table.chat, !$("host").hidden);
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
