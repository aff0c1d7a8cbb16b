// Draws scenes of server/room/web/scenes.py on an oval table.  Nodes stay and change, so that what moves can be
// seen to move.  Texts are put in as texts: nothing here makes HTML of them.

const SUITS = {c: "♣", d: "♦", h: "♥", s: "♠"};
const SUIT_NAMES = {c: "clubs", d: "diamonds", h: "hearts", s: "spades"};
const RANK_NAMES = {T: "ten", J: "jack", Q: "queen", K: "king", A: "ace"};
const STREET_MS = 450; // between two streets that are dealt without a decision
const still = matchMedia("(prefers-reduced-motion: reduce)");

export function make(tag, classes = "", text = "") {
  const node = document.createElement(tag);
  if (classes) node.className = classes;
  if (text) node.textContent = text;
  return node;
}

export function card(text) {
  const [rank, suit] = text;
  const node = make("span", `card ${suit}${rank === "T" ? " ten" : ""}`, (rank === "T" ? "10" : rank) + SUITS[suit]);
  node.setAttribute("role", "img");
  node.setAttribute("aria-label", `${RANK_NAMES[rank] || rank} of ${SUIT_NAMES[suit]}`);
  return node;
}

function hidden() {
  const node = make("span", "card back", "");
  node.setAttribute("role", "img");
  node.setAttribute("aria-label", "hidden card");
  return node;
}

export function number(value) {
  return (Math.round(value * 100) / 100).toLocaleString("en", {maximumFractionDigits: 2});
}

export function line(entry) {
  const node = make("li", "", entry.text + " ");
  node.append(...entry.cards.map(card));
  return node;
}

// Only new lines are added, so that a screen reader reads these alone.
export function tell(scene, list) {
  const known = list.dataset.hand === String(scene.hand) ? list.children.length : 0;
  if (!known || known > scene.story.length) list.replaceChildren();
  list.dataset.hand = scene.hand;
  list.append(...scene.story.slice(list.children.length).map(line));
  list.scrollTop = list.scrollHeight;
}

function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function mark(node, seat) {
  node.classList.toggle("bot", Boolean(seat && seat.house));
  node.classList.toggle("registered", Boolean(seat && seat.kind === "registered"));
}

function move(node, frames, options) {
  if (still.matches || document.hidden) return null;
  return node.animate(frames, {easing: "ease-out", fill: "backwards", ...options});
}

// From the middle of one node to the middle of another, in pixels.
function way(from, to) {
  const [a, b] = [from.getBoundingClientRect(), to.getBoundingClientRect()];
  return `${b.x + b.width / 2 - a.x - a.width / 2}px ${b.y + b.height / 2 - a.y - a.height / 2}px`;
}

export class Felt {
  // `amount` puts chips into words; `sit`, if given, is called with the number of a free seat that is pressed.
  constructor(root, amount = number, sit = null) {
    this.root = root;
    this.amount = amount;
    this.sit = sit;
    this.own = -1;
    this.places = [];
    this.scene = this.first = null;
    this.later = 0;
    this.seats = make("ul", "seats");
    this.bets = make("div", "bets");
    this.bets.setAttribute("aria-hidden", "true");
    this.title = make("div", "title");
    this.board = make("div", "board");
    this.pot = make("div", "pot");
    this.verdict = make("div", "verdict");
    const middle = make("div", "middle");
    middle.append(this.title, this.pot, this.board, this.verdict);
    root.replaceChildren(this.seats, middle, this.bets);
  }

  // Seats are around an oval, the own one at the bottom, the next player's to its left.
  lay(count) {
    if (this.places.length !== count) {
      this.places = Array.from({length: count}, (_, seat) => this.place(seat));
      this.seats.replaceChildren(...this.places.map((place) => place.node));
      this.bets.replaceChildren(...this.places.map((place) => place.bet));
      this.root.dataset.seats = count;
    }
    this.places.forEach((place, seat) => {
      const turn = 2 * Math.PI * ((seat - Math.max(0, this.own) + count) % count) / count;
      const bend = (value) => Math.sign(value) * Math.abs(value) ** 0.8;
      const [x, y] = [-bend(Math.sin(turn)), bend(Math.cos(turn))];
      for (const node of [place.node, place.bet]) {
        node.style.setProperty("--x", x.toFixed(3));
        node.style.setProperty("--y", y.toFixed(3));
      }
      place.node.classList.toggle("own", seat === this.own);
      place.bet.classList.toggle("own", seat === this.own);
    });
  }

  place(seat) {
    const place = {node: make("li", "seat"), bet: make("span", "bet")};
    for (const part of ["hole", "plate", "name", "money", "badge", "dealer"]) place[part] = make("div", part);
    place.dealer.textContent = "D";
    place.dealer.title = "dealer button";
    const ring = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    place.time = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    ring.setAttribute("class", "ring");
    ring.setAttribute("aria-hidden", "true");
    place.time.setAttribute("pathLength", "100");
    ring.append(place.time);
    place.plate.append(place.name, place.money, ring);
    place.free = make("button", "free", "Sit here");
    place.free.type = "button";
    place.free.setAttribute("aria-label", `Sit here, seat ${seat + 1}`);
    place.free.addEventListener("click", () => this.sit && this.sit(seat));
    place.node.append(place.hole, place.plate, place.badge, place.dealer, place.free);
    return place;
  }

  stack(chips) {
    if (chips === undefined) return ""; // told later
    return chips === null ? "unlimited" : this.amount(chips);
  }

  // Nothing moves in what is seen first.
  move(node, frames, options) {
    return this.scene === this.first ? null : move(node, frames, options);
  }

  // Who sits at the table between hands.
  company(seats) {
    this.lay(seats.length);
    this.fill(seats);
  }

  fill(seats, players = []) {
    this.places.forEach((place, seat) => {
      const player = players.find((each) => each.seat === seat);
      const known = seats[seat];
      const isFree = !player && !known;
      place.node.classList.toggle("empty", isFree);
      place.free.hidden = !isFree || !this.sit;
      if (player) return;
      const isTold = !known || known.stack !== undefined || known.name !== place.name.textContent;
      put(place.name, known ? known.name : "");
      if (isTold) put(place.money, known ? this.stack(known.stack) : "");
      put(place.badge, known && !known.there ? "Away" : "");
      place.node.classList.toggle("waits", Boolean(known));
      place.node.classList.remove("acts", "folded", "won");
      mark(place.node, known);
      this.deal(place, [], 0);
      put(place.bet, "");
      place.dealer.hidden = true;
    });
  }

  // Returns for how long, in ms, cards are still dealt.
  draw(scene, seconds = 0) {
    const before = this.scene && this.scene.hand === scene.hand ? this.scene : null;
    const own = scene.players.find((player) => player.you);
    if (own) this.own = own.seat;
    clearTimeout(this.later);
    this.scene = scene;
    this.first = this.first || scene;
    this.lay(Math.max(scene.seats.length, ...scene.players.map((player) => player.seat + 1)));
    this.fill(scene.seats, scene.players);
    const wait = this.turnBoard(scene.board, before ? before.board.length : 0, Boolean(before));
    scene.players.forEach((player, order) => this.person(player, scene, before, order, seconds));
    const street = scene.players.reduce((sum, player) => sum + player.street, 0);
    put(this.title, `Hand ${scene.hand + 1} · ${scene.round}`);
    put(this.pot, `Pot ${this.amount(scene.pot - street)}` + (street ? ` (${this.amount(scene.pot)})` : ""));
    put(this.verdict, "");
    if (scene.over && scene.players.some((player) => player.won !== null)) {
      if (wait) this.later = setTimeout(() => this.end(scene), wait);
      else this.end(scene);
    }
    return wait;
  }

  end(scene) {
    const winners = scene.players.filter((player) => player.won > 0);
    put(this.verdict, winners.map((player) => {
      const word = player.shows ? `, ${player.shows}` : "";
      return `${player.you ? "You win" : `${player.name} wins`} ${this.amount(player.won + player.bet)}${word}`;
    }).join("; ") || "The pot is split");
    for (const player of scene.players) {
      const place = this.places[player.seat];
      place.node.classList.toggle("won", player.won > 0);
      if (player.shows) put(place.badge, player.won > 0 ? "Winner" : "Shows");
      put(place.money, this.stack(player.stack === null ? null : player.stack + player.bet + player.won));
      if (player.won > 0) this.fly(this.pot, place.plate);
    }
  }

  fly(from, to) {
    const chip = make("span", "flying");
    this.bets.append(chip);
    const origin = way(chip, from);
    const flight = this.move(chip, [{translate: origin, opacity: 1}, {translate: way(chip, to), opacity: 0.4}], {duration: 600});
    if (flight) flight.addEventListener("finish", () => chip.remove());
    else chip.remove();
  }

  person(player, scene, before, order, seconds) {
    const place = this.places[player.seat];
    const {classList} = place.node;
    classList.remove("waits", "empty", "won");
    classList.toggle("folded", player.folded);
    mark(place.node, scene.seats[player.seat]);
    put(place.name, player.you ? `${player.name} (you)` : player.name);
    put(place.money, player.all_in && !scene.over ? "All in" : this.stack(player.stack));
    put(place.badge, player.did);
    place.badge.dataset.did = player.did.split(" ")[0];
    place.dealer.hidden = !player.button;
    const isDealt = !before || Boolean(player.cards.length);
    this.deal(place, player.cards, player.hidden, isDealt && !before ? order : -1);
    if (player.street) {
      const isNew = place.bet.textContent === "";
      put(place.bet, this.amount(player.street));
      if (isNew && before) this.move(place.bet, [{translate: way(place.bet, place.plate)}, {translate: "0px 0px"}], {duration: 220});
    } else if (place.bet.textContent) {
      put(place.bet, "");
      if (before) this.fly(place.plate, this.pot);
    } else if (before && player.bet > (before.players.find((each) => each.seat === player.seat) || player).bet) {
      this.fly(place.plate, this.pot);
    }
    const acts = player.acts && !scene.over;
    if (acts !== classList.contains("acts") || (acts && seconds)) {
      classList.toggle("acts", acts);
      place.time.getAnimations().forEach((each) => each.cancel());
      if (acts && seconds) {
        const easing = still.matches ? "steps(12)" : "linear";
        place.time.animate([{strokeDashoffset: 0}, {strokeDashoffset: 100}], {duration: 1000 * seconds, easing, fill: "forwards"});
      }
    }
  }

  deal(place, cards, backs, order = -1) {
    const wanted = cards.join(" ") || `?${backs}`;
    if (place.hole.dataset.cards === wanted && order < 0) return;
    const known = place.hole.dataset.cards || "";
    place.hole.dataset.cards = wanted;
    const nodes = cards.length ? cards.map(card) : Array.from({length: backs}, hidden);
    place.hole.replaceChildren(...nodes);
    if (order >= 0) {
      nodes.forEach((node, turn) => this.move(node, [{translate: way(node, this.board), opacity: 0}, {translate: "0px 0px", opacity: 1}],
        {duration: 160, delay: 30 * order + 60 * turn}));
    } else if (known.startsWith("?") && cards.length) {
      nodes.forEach((node) => this.move(node, [{transform: "scaleX(0)"}, {transform: "none"}], {duration: 200}));
    }
  }

  turnBoard(cards, known, isSame) {
    const shown = [...this.board.children].map((node) => node.dataset.card);
    if (shown.join(" ") === cards.join(" ") && isSame) return 0;
    if (!isSame || shown.length > cards.length) this.board.replaceChildren();
    const fresh = cards.slice(this.board.children.length);
    const streets = [];
    fresh.forEach((text, turn) => {
      const at = cards.length - fresh.length + turn;
      const street = at < 3 && fresh.length >= 3 ? 3 : at + 1;
      if (isSame && !streets.includes(street)) streets.push(street);
      const node = card(text);
      node.dataset.card = text;
      this.board.append(node);
      this.move(node, [{opacity: 0, translate: "0px -12px"}, {opacity: 1, translate: "0px 0px"}],
        {duration: 200, delay: STREET_MS * Math.max(0, streets.indexOf(street)) + 40 * (turn % 3)});
    });
    return still.matches || document.hidden ? 0 : STREET_MS * Math.max(0, streets.length - 1);
  }
}
