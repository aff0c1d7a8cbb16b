// A table: watched by server-sent events, or played at through a WebSocket in the room's own lines
// (protocol/README.md, "A room").  `queue.js` shows what is told at a pace that can be followed.
import {Advice} from "./advice.js";
import {Hosting} from "./hosting.js";
import {Presses} from "./presses.js";
import {Queue} from "./queue.js";
import {Felt, line, make, number, tell} from "./scene.js";
import {play as sound} from "./sound.js";
import {Tally} from "./tally.js";

const $ = (id) => document.getElementById(id);
const setup = JSON.parse($("setup").textContent);
const table = $("table").dataset.table;
const MOST_RESULTS = 50;
const MOST_SAID = 20;
const POLL_MS = 3000;
const PAUSED = "The table is paused.";
const UNLIMITED = 2 ** 31 - 1; // what the protocol says for it
const AT = `seat:${table}`; // in localStorage: that this browser sits here, and since when it has heard nothing
const TALLY = `tally:${table}`; // in sessionStorage: one's own statistics here
const LAST = `last:${table}`; // in sessionStorage: the last hand that was seen to its end
const KEY = "guest"; // in localStorage: the secret by which the room knows a guest again

function read(store, key) {
  try { return JSON.parse(store.getItem(key)); } catch { return null; }
}

function keep(store, key, value) {
  try {
    if (value === null) store.removeItem(key);
    else store.setItem(key, JSON.stringify(value));
  } catch { /* a browser that keeps nothing */ }
}

// --- what is seen --------------------------------------------------------------------------------------

let inBlinds = read(localStorage, "units") === "bb";
let blind = setup.blind;
const amount = (chips) => inBlinds && blind ? `${number(chips / blind)} bb` : number(chips);
const felt = new Felt($("felt"), amount, (seat) => sit(seat));
const tally = new Tally($("mine"), amount, read(sessionStorage, TALLY), (sums) => keep(sessionStorage, TALLY, sums));
const queue = new Queue(setup, (message) => message.hand, show);
let scene = null;

function notice(text) {
  if ($("notice").textContent !== text) $("notice").textContent = text;
}

function show(message) {
  if (scene && scene.hand !== message.hand) {
    recall(scene);
    ahead(null);
  }
  if (!scene || scene.hand !== message.hand) sound("deal");
  else if (message.story.length > scene.story.length && !message.ask) sound(/check|fold/.test(message.story.at(-1).text) ? "check" : "bet");
  if (isSeated && (!scene || scene.hand !== message.hand)) notice("");
  scene = message;
  blind = scene.blind || blind;
  const wait = felt.draw(scene, message.ask ? (deadline - performance.now()) / 1000 : setup.seconds);
  tell(scene, $("story"));
  if (message.over) keep(sessionStorage, LAST, {hand: message.hand, story: message.story});
  if (message.over && isSeated && message.line) {
    const told = message.story.length ? message.story.at(-1).text : "";
    add(message.hand, told);
    tally.hand(message);
    if (advice) advice.over(message.hand);
    offer(message.hand);
  }
  $("show").disabled = !(isSeated && message.over && message.players.some((each) => each.you && !each.folded && !each.shows));
  if (message.ask) $("back").hidden = !isOut;
  else if (state) $("back").hidden = false; // it was not answered in time
  if (message.ask) beginTurn(message.line, message.ask);
  else endTurn();
  return wait;
}

// The hand before, in its panel.
function recall(told) {
  $("last").replaceChildren(...told.story.map(line));
  offer(told.hand);
}

function offer(hand) {
  const address = `/tables/${encodeURIComponent(table)}/hands/${hand}`;
  $("last-links").hidden = false;
  $("last-replay").href = address;
  $("last-text").href = `${address}.txt`;
  $("last-phh").href = `${address}.phh`;
}

function add(hand, text, cards = []) {
  const node = make("li");
  const link = make("a", "", `Hand ${hand + 1}`);
  link.href = `/tables/${encodeURIComponent(table)}/hands/${hand}`;
  node.append(link, ` ${text} `, ...(cards.length ? line({text: "", cards}).childNodes : []));
  $("results").prepend(node);
  while ($("results").children.length > MOST_RESULTS) $("results").lastChild.remove();
}

// --- watching ------------------------------------------------------------------------------------------

let events = null;

function watch() {
  if (events) return;
  queue.watches = true;
  events = new EventSource(`/tables/${encodeURIComponent(table)}/events`);
  events.addEventListener("open", lookForUpdate);
  events.addEventListener("message", (event) => {
    const message = JSON.parse(event.data);
    if (message.kind === "scene") queue.push(message);
    else if (message.kind === "results") message.results.forEach((each) => add(each.hand, each.text));
    else if (message.kind === "shown") message.players.forEach((each) => add(message.hand, `${each.name} has shown`, each.cards));
  });
}

function stopWatching() {
  if (events) events.close();
  events = null;
  queue.watches = false;
  queue.clear();
}

// A room that has been updated has no script of this page's version any more.
async function lookForUpdate() {
  try {
    const answer = await fetch(import.meta.url, {method: "HEAD", cache: "no-store"});
    if (answer.status !== 404 || $("updated")) return;
    const node = make("p", "notice", "The room has been updated: reload this page when you can.");
    node.id = "updated";
    $("table").before(node);
  } catch { /* out of reach: it is asked again */ }
}

// Who sits here, and how a sit-and-go stands, is asked for while nothing is told.
async function lookAround() {
  if (!document.hidden && (setup.contest || hosting || performance.now() - queue.heardAt > POLL_MS)) {
    try {
      const answer = await fetch(`/tables/${encodeURIComponent(table)}.json`);
      if (answer.status === 404) notice("This table has closed.");
      else if (answer.ok) around(await answer.json());
    } catch { /* the room is closed or out of reach: it is asked again */ }
  }
  setTimeout(lookAround, isSeated || setup.contest || hosting ? POLL_MS : 3 * POLL_MS);
}

function around(found) {
  if (hosting) hosting.look(found, isSeated && found.seats[felt.own] ? found.seats[felt.own].name : "");
  if (!scene || scene.over) felt.company(found.seats);
  if ($("chat")) $("chat").hidden = !found.chat;
  if (found.contest) tellContest(found.contest, found.seats);
  if (found.paused) notice(PAUSED);
  else if ($("notice").textContent === PAUSED) notice("");
}

function tellContest(contest, seats) {
  const free = seats.filter((each) => !each).length;
  const rises = contest.next ? `, then ${contest.next}` : "";
  const text = contest.on
    ? `Level ${contest.level}: ${contest.blinds}${rises}.` + (contest.left === null ? "" : ` ${contest.left} of ${contest.entrants} are in.`)
    : `It begins when all seats are taken: ${free} of ${seats.length} free.`;
  if ($("standing").textContent !== text) $("standing").textContent = text;
  const out = contest.out.map((each) => make("li", "", `${each.name}: place ${each.place}` + (each.prize ? `, ${each.prize} chips` : "")));
  $("contest-out").replaceChildren(...out);
}

// --- a seat --------------------------------------------------------------------------------------------

const FIRST_AGAIN_MS = 500;
const LAST_AGAIN_MS = 8000;
let socket = null;
let wanted = null; // name, token, chips and seat with which we sit, or try to
let again = FIRST_AGAIN_MS;
let isSeated = false;
let isOut = false;
let isLeaving = false; // who has said so checks or folds: nobody waits for them
let isReturning = false; // after a reload
let seconds = 0;

function say(...lines) {
  if (socket && socket.readyState === WebSocket.OPEN) socket.send(lines.map((each) => `${each}\r\n`).join(""));
}

function sit(seat = null) {
  if (socket || !$("join").reportValidity()) return;
  const form = new FormData($("join"));
  const text = (name) => (form.get(name) || "").trim();
  wanted = {name: text("name"), token: text("token"), chips: text("chips"), seat};
  keep(sessionStorage, AT, {name: wanted.name, token: wanted.token});
  connect();
}

function connect() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const mine = socket = new WebSocket(`${scheme}://${location.host}/seat`);
  if (!isSeated) notice("Looking for a seat …");
  const words = ["#riverboat/1", "lobby", "seat", "names", "game", "stacks", "clock", "person", "keep"];
  const token = wanted.token || read(localStorage, KEY);
  if (wanted.name) words.push(`name=${wanted.name}`);
  if (token) words.push(`token=${token}`);
  let hasAsked = false;
  mine.addEventListener("open", () => say("VERSION:2.0.0", words.join(" ")));
  mine.addEventListener("open", lookForUpdate);
  mine.addEventListener("message", (event) => {
    const message = JSON.parse(event.data);
    if (mine !== socket) return;
    if (isSeated) keep(localStorage, AT, {name: wanted.name, at: Date.now()});
    if (message.kind === "scene") {
      if (message.ask) deadline = seconds ? performance.now() + 1000 * seconds : 0;
      queue.push(message);
    } else if (message.kind === "note" && message.name === "lobby") {
      if (hasAsked) stand(message.text || "You have no seat any more.");
      else say(`#join ${table}${wanted.chips ? ` ${wanted.chips}` : ""}${wanted.seat === null ? "" : ` seat=${wanted.seat + 1}`}`);
      hasAsked = true;
    } else if (message.kind === "advice") {
      if (advice) advice.hear(message, amount);
    } else if (message.kind === "note") {
      obey(message);
    }
  });
  mine.addEventListener("close", () => {
    if (mine !== socket) return;
    socket = null;
    if (isSeated) comeBack();
    else stand($("notice").textContent === "Looking for a seat …" ? "The room cannot be reached." : $("notice").textContent);
  });
}

// The seat is kept for a while: the same player takes it again, and finds the clock running.
function comeBack() {
  notice("The connection is lost. Your seat is kept; trying to come back …");
  endTurn();
  setTimeout(() => isSeated && !socket && connect(), again);
  again = Math.min(2 * again, LAST_AGAIN_MS);
}

function hurry() {
  if (!isSeated || document.hidden) return;
  again = FIRST_AGAIN_MS;
  if (!socket) connect();
}

function obey(message) {
  if (message.name === "seated") {
    const isNew = !isSeated;
    again = FIRST_AGAIN_MS;
    isSeated = true;
    isLeaving = false;
    if (isNew) stopWatching();
    felt.own = message.seat;
    felt.sit = null;
    keep(localStorage, AT, {name: wanted.name, at: Date.now()});
    notice(isNew && !isReturning ? `You have seat ${message.seat + 1} with ${message.stack >= UNLIMITED ? "unlimited" : number(message.stack)} chips. You are dealt in as soon as it can be.` : "You are back in your seat.");
    isReturning = false;
    $("join").hidden = true;
    $("act").hidden = $("seated").hidden = false;
  } else if (message.name === "keep") {
    keep(localStorage, KEY, message.text);
  } else if (message.name === "refused") {
    notice(`That cannot be: ${message.text}`);
    if (socket && !$("join").hidden) socket.close();
  } else if (message.name === "message") {
    notice(message.text);
    $("said")?.prepend(make("li", "", message.text));
    if ($("said")?.children.length > MOST_SAID) $("said").lastChild.remove();
  } else if (message.name === "clock") {
    seconds = Number(message.text) || 0;
  }
}

function stand(text) {
  const old = socket;
  socket = null;
  if (old) old.close();
  isSeated = false;
  keep(localStorage, AT, null);
  queue.clear();
  notice(text);
  felt.sit = (seat) => sit(seat);
  $("join").hidden = false;
  $("act").hidden = $("seated").hidden = true;
  endTurn();
  watch();
}

// --- a turn --------------------------------------------------------------------------------------------

let state = ""; // the line that a reply repeats
let raises = null;
let sizes = {};
let deadline = 0;
const presses = new Presses();

function beginTurn(text, ask) {
  if (state !== text) presses.ask(Date.now());
  state = text;
  if (advice) advice.turn(text);
  raises = ask.raise;
  sizes = ask.sizes;
  $("turn").disabled = false;
  $("bar").classList.add("turn");
  $("fold").disabled = !ask.fold;
  $("call").firstElementChild.textContent = ask.call ? `Call ${amount(ask.call)}` : "Check";
  $("raise").disabled = !raises;
  $("sizes").disabled = !raises || raises.limit || raises.least === raises.most;
  $("raise").firstElementChild.textContent = "Raise";
  if (raises) {
    [$("slider").min, $("slider").max] = [raises.least, raises.most];
    size(raises.least);
  }
  document.title = `Your turn – ${table}`;
  if (answerAhead(ask)) return;
  tick();
  sound("turn");
}

function endTurn() {
  presses.end();
  state = "";
  if (advice) advice.turn("");
  raises = null;
  $("turn").disabled = $("sizes").disabled = true;
  $("call").firstElementChild.textContent = "Call";
  $("raise").firstElementChild.textContent = "Raise";
  $("bar").classList.remove("turn");
  document.title = `${table} – Riverboat`;
  tick();
}

// What is shown may be big blinds; what is sent is chips.
const unit = () => inBlinds && blind ? blind : 1;

function size(total, isTyped = false) {
  if (!raises) return;
  const value = Math.max(raises.least, Math.min(raises.most, Math.round(Number(total)) || raises.least));
  $("slider").value = value;
  if (!isTyped) $("total").value = String(Math.round(100 * value / unit()) / 100);
  const word = value === raises.most && !raises.limit ? "All in" : {bet: "Bet", raise: "Raise to"}[raises.word];
  $("raise").firstElementChild.textContent = `${word} ${amount(value)}`;
}

function act(action) {
  if (!state) return;
  say(`${state}:${action}`);
  endTurn();
}

function press(action) {
  if (presses.answers()) act(action);
}

function raise() {
  if (!raises) return;
  if (raises.limit) press("r");
  else {
    if ($("total").value) size(Number($("total").value) * unit());
    press(`r${$("slider").value}`);
  }
}

let timer = 0;

function tick() {
  clearTimeout(timer);
  const left = state && deadline ? Math.max(0, (deadline - performance.now()) / 1000) : Infinity;
  const bank = Math.max(0, seconds - setup.seconds); // what is left of it for this question
  const inTime = Math.ceil(left - bank);
  $("clock").textContent = left >= 86400 ? "" : inTime > 0 ? `${inTime} s` + (bank ? ` + ${Math.floor(bank)} s` : "") : `Time bank: ${Math.ceil(left)} s`;
  $("clock").classList.toggle("late", left < 10);
  if (left < 86400) timer = setTimeout(tick, 250);
}

// --- before the turn -----------------------------------------------------------------------------------

function ahead(which) {
  document.querySelectorAll("[data-ahead]").forEach((each) => { each.checked = each.dataset.ahead === which && each.checked; });
}

function answerAhead(ask) {
  const chosen = isLeaving ? "checkfold" : document.querySelector("[data-ahead]:checked")?.dataset.ahead;
  if (!chosen) return false;
  if (chosen === "checkfold") ahead(null);
  act(chosen === "callany" || !ask.fold ? "c" : "f");
  return true;
}

// --- what is pressed -----------------------------------------------------------------------------------

for (const kind of ["pointerdown", "keydown"]) {
  document.addEventListener(kind, (event) => event.repeat || presses.begin(Date.now()), {capture: true});
}
$("fold").addEventListener("click", () => press("f"));
$("call").addEventListener("click", () => press("c"));
$("act").addEventListener("submit", (event) => {
  event.preventDefault();
  raise();
});
$("slider").addEventListener("input", (event) => size(event.target.value));
$("total").addEventListener("input", (event) => size(Number(event.target.value) * unit(), true));
$("sizes").addEventListener("wheel", (event) => {
  event.preventDefault();
  size(Number($("slider").value) - Math.sign(event.deltaY) * blind);
}, {passive: false});
document.querySelectorAll("[data-size]").forEach((button) => button.addEventListener("click", () => raises && size(sizes[button.dataset.size])));
document.querySelectorAll("[data-step]").forEach((button) => button.addEventListener("click", () => size(Number($("slider").value) + Number(button.dataset.step) * blind)));
document.querySelectorAll("[data-ahead]").forEach((each) => each.addEventListener("change", () => ahead(each.dataset.ahead)));
document.addEventListener("keydown", (event) => {
  if (event.repeat || event.altKey || event.ctrlKey || event.metaKey || !state) return;
  const isTyping = event.target instanceof HTMLInputElement && !["range", "checkbox"].includes(event.target.type);
  const key = event.key.toLowerCase();
  if (isTyping && !(event.target.id === "total" && "fcr".includes(key))) return;
  if (key === "f" && !$("fold").disabled) press("f");
  else if (key === "c") press("c");
  else if (key === "r" && raises) raiseByKey(event.target);
  else return;
  event.preventDefault();
});

// The first r goes to the amount, the second (or Enter) raises; where there is one amount only, the first does.
function raiseByKey(from) {
  if ($("sizes").disabled || from.id === "total" || from.id === "slider") raise();
  else {
    $("total").focus();
    $("total").select();
  }
}

$("join").addEventListener("submit", (event) => {
  event.preventDefault();
  sit();
});
$("leave").addEventListener("click", () => {
  say("#leave");
  isLeaving = true;
  notice("You stand up when the hand is over.");
  if (state) act($("fold").disabled ? "c" : "f");
});
if ($("chat")) {
  $("chat").addEventListener("submit", (event) => {
    event.preventDefault();
    say(`#chat ${event.target.elements.text.value}`);
    event.target.reset();
  });
}
$("show").addEventListener("click", () => {
  say(`#show ${scene.hand}`);
  $("show").disabled = true;
});
if ($("out")) {
  const sitOut = (is) => {
    isOut = is;
    say(isOut ? "#sit-out" : "#sit-in");
    $("back").hidden = !isOut;
    $("out").textContent = isOut ? "Sit in" : "Sit out";
    $("out").setAttribute("aria-pressed", String(isOut));
  };
  $("out").addEventListener("click", () => sitOut(!isOut));
  $("back").addEventListener("click", () => sitOut(false));
}
if ($("top-up")) {
  $("top-up").addEventListener("click", () => {
    const own = scene && scene.players.find((player) => player.you);
    const lacking = setup.most - (own ? own.stack + own.bet : 0);
    if (lacking > 0) {
      say(`#top-up ${lacking}`);
      notice(`You bring up to ${number(lacking)} chips more before the next hand.`);
    }
  });
}

function toggle(id, isOn, tell) {
  $(id).setAttribute("aria-pressed", String(isOn));
  $(id).addEventListener("click", () => {
    const next = $(id).getAttribute("aria-pressed") !== "true";
    $(id).setAttribute("aria-pressed", String(next));
    tell(next);
  });
}

toggle("units", inBlinds, (isOn) => {
  inBlinds = isOn;
  keep(localStorage, "units", isOn ? "bb" : "chips");
  if (scene) felt.draw(scene);
  if (raises) size($("slider").value);
  tally.tell();
});
toggle("sound", read(localStorage, "sound") === "on", (isOn) => {
  keep(localStorage, "sound", isOn ? "on" : "off");
  sound("turn");
});

for (const name of ["visibilitychange", "online", "pageshow"]) addEventListener(name, hurry, true);

const advice = $("advice") ? new Advice($("advice"), say) : null;
const hosting = $("hosting") ? new Hosting(say) : null;

// --- when the page opens -------------------------------------------------------------------------------

felt.company(setup.seats);
if (!setup.seats.some(Boolean)) notice(setup.fill.length ? `Nobody sits here. Sit down: ${setup.fill.join(", ")} will join you.` : "Nobody sits here yet.");
const saved = read(sessionStorage, AT) || {};
const kept = read(localStorage, AT);
const last = read(sessionStorage, LAST);
if (last) recall(last);
$("join").elements.name.value = saved.name || (kept && kept.name) || "";
$("join").elements.token.value = saved.token || "";
watch();
lookAround();
if (new URLSearchParams(location.search).has("play") && !kept) {
  history.replaceState(null, "", location.pathname);
  sit();
} else if (kept && Date.now() - kept.at < 1000 * setup.keep) {
  isReturning = true;
  sit();
} else if (kept) {
  keep(localStorage, AT, null);
  notice("Your seat was given up while you were away. Sit down again when you like.");
}
