// Draws a scene of server/room/web/scenes.py.  Texts are put in as texts: nothing here makes HTML of them.

const SUITS = {c: "♣", d: "♦", h: "♥", s: "♠"};
const SUIT_NAMES = {c: "clubs", d: "diamonds", h: "hearts", s: "spades"};
const RANK_NAMES = {T: "ten", J: "jack", Q: "queen", K: "king", A: "ace"};

export function make(tag, classes = "", text = "") {
  const node = document.createElement(tag);
  if (classes) node.className = classes;
  if (text) node.textContent = text;
  return node;
}

export function card(text) {
  const [rank, suit] = text;
  const node = make("span", `card ${suit}`, (rank === "T" ? "10" : rank) + SUITS[suit]);
  node.setAttribute("role", "img");
  node.setAttribute("aria-label", `${RANK_NAMES[rank] || rank} of ${SUIT_NAMES[suit]}`);
  return node;
}

function hidden() {
  const node = make("span", "card back", "?");
  node.setAttribute("role", "img");
  node.setAttribute("aria-label", "hidden card");
  return node;
}

export function chips(number, sign = false) {
  const text = String(Math.round(number * 100) / 100);
  return sign && number > 0 ? `+${text}` : text;
}

function note(player) {
  const words = [];
  if (player.folded) words.push("folded");
  if (player.all_in) words.push("all in");
  if (player.acts) words.push(player.you ? "your turn" : "to act");
  if (player.shows) words.push(player.shows);
  if (player.won) words.push(`${chips(player.won, true)}`);
  return words.join(", ");
}

function seat(player) {
  const node = make("li", [player.acts && "acts", player.folded && "folded", player.you && "you"].filter(Boolean).join(" "));
  const name = make("div", "name", player.you ? `${player.name} (you)` : player.name);
  if (player.button) {
    const button = make("span", "dealer", "D");
    button.title = "dealer button";
    name.append(button);
  }
  const hole = make("div", "hole");
  hole.append(...player.cards.map(card), ...Array.from({length: player.cards.length ? 0 : player.hidden}, hidden));
  const money = make("div", "money", `${player.stack} chips` + (player.bet ? `, ${player.bet} in the pot` : ""));
  node.append(name, hole, money, make("div", "note", note(player)));
  return node;
}

export function draw(scene, felt) {
  const middle = make("div", "middle");
  const board = make("div", "board");
  board.append(...scene.board.map(card));
  middle.append(make("div", "", `Hand ${scene.hand} · ${scene.round}`), board, make("div", "pot", `Pot ${scene.pot}`));
  const seats = make("ul", "seats");
  seats.append(...scene.players.map(seat));
  felt.replaceChildren(middle, seats);
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
