// A table: watched by server-sent events, or played at through a WebSocket in the room's own lines
// (protocol/README.md, "A room").
import {Presses} from "./presses.js";
import {draw, line, make, tell} from "./scene.js";

const $ = (id) => document.getElementById(id);
const table = $("table").dataset.table;
const MOST_RESULTS = 50;
const SAVED = `seat:${table}`;

// --- what is seen --------------------------------------------------------------------------------------

let scene = null;

function notice(text) {
  $("notice").textContent = text;
  $("notice").hidden = !text;
}

function show(next) {
  if (scene && scene.hand !== next.hand) $("last").replaceChildren(...scene.story.map(line));
  scene = next;
  draw(scene, $("felt"));
  tell(scene, $("story"));
}

function add(hand, text, cards = []) {
  const node = make("li");
  const link = make("a", "", `Hand ${hand}`);
  link.href = `/tables/${encodeURIComponent(table)}/hands/${hand}`;
  node.append(link, ` ${text} `, ...(cards.length ? line({text: "", cards}).childNodes : []));
  $("results").prepend(node);
  while ($("results").children.length > MOST_RESULTS) $("results").lastChild.remove();
}

// --- watching ------------------------------------------------------------------------------------------

let events = null;

function watch() {
  if (events) return;
  events = new EventSource(`/tables/${encodeURIComponent(table)}/events`);
  events.addEventListener("message", (event) => {
    const message = JSON.parse(event.data);
    if (message.kind === "scene") show(message);
    else if (message.kind === "results") message.results.forEach((each) => add(each.hand, each.text));
    else if (message.kind === "shown") message.players.forEach((each) => add(message.hand, `${each.name} has shown`, each.cards));
  });
}

function stopWatching() {
  if (events) events.close();
  events = null;
}

// --- a sit-and-go: how it stands is asked for again and again while it is seen --------------------------

const CONTEST_MS = 3000;

async function lookAtContest() {
  if (!document.hidden) {
    try {
      const tables = await (await fetch("/tables.json")).json();
      const found = tables.find((each) => each.name === table);
      if (found && found.contest) tellContest(found.contest, found.seats);
    } catch { /* the room is closed or out of reach: it is asked again */ }
  }
  setTimeout(lookAtContest, CONTEST_MS);
}

function tellContest(contest, seats) {
  const free = seats.filter((each) => !each).length;
  const rises = contest.next ? `, then ${contest.next}` : "";
  const text = contest.on
    ? `Level ${contest.level}: ${contest.blinds}${rises}. ${contest.left} of ${contest.entrants} are in.`
    : `It begins when all seats are taken: ${free} of ${seats.length} free.`;
  if ($("standing").textContent !== text) $("standing").textContent = text;
  const out = contest.out.map((each) => make("li", "", `${each.name}: place ${each.place}` + (each.prize ? `, ${each.prize} chips` : "")));
  $("contest-out").replaceChildren(...out);
}

if ($("contest")) lookAtContest();

// --- a seat --------------------------------------------------------------------------------------------

let socket = null;
let state = ""; // the line that a reply repeats
let raises = null;
let deadline = 0;
let seconds = 0;
let isSeated = false;
let isOut = false;
const presses = new Presses();

function say(...lines) {
  if (socket && socket.readyState === WebSocket.OPEN) socket.send(lines.map((each) => `${each}\r\n`).join(""));
}

function sit(name, token, chips) {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/seat`);
  notice("Looking for a seat …");
  const words = ["#riverboat/1", "lobby", "seat", "names", "game", "stacks", "clock"];
  if (name) words.push(`name=${name}`);
  if (token) words.push(`token=${token}`);
  let hasAsked = false;
  socket.addEventListener("open", () => say("VERSION:2.0.0", words.join(" ")));
  socket.addEventListener("message", (event) => {
    const message = JSON.parse(event.data);
    if (message.kind === "scene") {
      hear(message);
    } else if (message.kind === "note" && message.name === "lobby") {
      if (hasAsked) stand(message.text || "You have no seat any more.");
      else say(`#join ${table}${chips ? ` ${chips}` : ""}`);
      hasAsked = true;
    } else if (message.kind === "note") {
      obey(message);
    }
  });
  socket.addEventListener("close", () => {
    socket = null;
    stand(isSeated ? "The connection is lost. Sit down again to come back." : $("notice").textContent);
  });
}

function obey(message) {
  if (message.name === "seated") {
    isSeated = true;
    stopWatching();
    notice(`You have seat ${message.seat + 1} with ${message.stack} chips. You are dealt in as soon as it can be.`);
    $("join").hidden = true;
    $("seated").hidden = false;
  } else if (message.name === "refused") {
    notice(`That cannot be: ${message.text}`);
    if (!isSeated && socket) socket.close();
  } else if (message.name === "message") {
    notice(message.text);
  } else if (message.name === "clock") {
    seconds = Number(message.text) || 0;
  }
}

function stand(text) {
  if (socket) {
    const old = socket;
    socket = null;
    old.close();
  }
  isSeated = false;
  notice(text === "Looking for a seat …" ? "The room cannot be reached." : text);
  $("join").hidden = false;
  $("seated").hidden = true;
  endTurn();
  watch();
}

function hear(message) {
  const isNew = !scene || scene.hand !== message.hand;
  if (isNew) notice("");
  show(message);
  if (message.over) {
    const own = message.players.find((player) => player.you);
    const told = message.story.length ? message.story[message.story.length - 1].text : "";
    add(message.hand, told || (own ? String(own.won) : ""));
  }
  if (message.ask) beginTurn(message.line, message.ask);
  else endTurn();
}

// --- a turn --------------------------------------------------------------------------------------------

function beginTurn(text, ask) {
  if (state !== text) presses.ask(performance.now());
  state = text;
  raises = ask.raise;
  deadline = seconds ? performance.now() + 1000 * seconds : 0;
  $("act").hidden = false;
  $("fold").disabled = !ask.fold;
  $("call").firstElementChild.textContent = ask.call ? `Call ${ask.call}` : "Check";
  $("raise").disabled = !raises;
  $("sizes").hidden = !raises || raises.limit || raises.least === raises.most;
  $("raise").firstElementChild.textContent = "Raise";
  if (raises) {
    for (const input of [$("slider"), $("total")]) {
      input.min = raises.least;
      input.max = raises.most;
      input.value = raises.least;
    }
    size(raises.least);
  }
  tick();
  if ($("sound").checked) beep();
  if (document.hidden) document.title = `Your turn – ${table}`;
}

function endTurn() {
  presses.end();
  state = "";
  raises = null;
  $("act").hidden = true;
  document.title = `${table} – Riverboat`;
}

function size(total) {
  if (!raises) return;
  const value = Math.max(raises.least, Math.min(raises.most, Math.round(Number(total)) || raises.least));
  $("slider").value = value;
  $("total").value = value;
  const word = value === raises.most && !raises.limit ? "All in," : raises.word;
  $("raise").firstElementChild.textContent = `${word} ${value}`;
}

function act(action) {
  if (!state || !presses.answers()) return;
  say(`${state}:${action}`);
  endTurn();
}

function raise() {
  if (!raises) return;
  if (raises.limit) act("r");
  else {
    size($("total").value);
    act(`r${$("total").value}`);
  }
}

let timer = 0;

function tick() {
  clearTimeout(timer);
  if (!state || !deadline) {
    $("clock").textContent = "";
    return;
  }
  const left = Math.max(0, (deadline - performance.now()) / 1000);
  $("clock").textContent = left < 86400 ? `${Math.ceil(left)} s to act` : "";
  $("clock").classList.toggle("late", left < 10);
  timer = setTimeout(tick, 250);
}

let audio = null;

function beep() {
  audio = audio || new AudioContext();
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  volume.gain.setValueAtTime(0.1, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.25);
  tone.frequency.value = 660;
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.25);
}

// --- what is pressed -----------------------------------------------------------------------------------

for (const kind of ["pointerdown", "keydown"]) {
  document.addEventListener(kind, (event) => event.repeat || presses.begin(performance.now()), {capture: true});
}
$("fold").addEventListener("click", () => act("f"));
$("call").addEventListener("click", () => act("c"));
$("act").addEventListener("submit", (event) => {
  event.preventDefault();
  raise();
});
$("slider").addEventListener("input", (event) => size(event.target.value));
$("total").addEventListener("change", (event) => size(event.target.value));
document.querySelectorAll("[data-size]").forEach((button) => button.addEventListener("click", () => raises && size(raises[button.dataset.size])));
document.addEventListener("keydown", (event) => {
  if (event.repeat || event.altKey || event.ctrlKey || event.metaKey || !state) return;
  const isTyping = event.target instanceof HTMLInputElement && !["range", "checkbox"].includes(event.target.type);
  const key = event.key.toLowerCase();
  if (isTyping && !(event.target.id === "total" && "fcr".includes(key))) return;
  if (key === "f" && !$("fold").disabled) act("f");
  else if (key === "c") act("c");
  else if (key === "r" && raises) raiseByKey(event.target);
  else return;
  event.preventDefault();
});

// The first r goes to the amount, the second (or Enter) raises; where there is one amount only, the first does.
function raiseByKey(from) {
  if ($("sizes").hidden || from.id === "total" || from.id === "slider") raise();
  else {
    $("total").focus();
    $("total").select();
  }
}

$("join").addEventListener("submit", (event) => {
  event.preventDefault();
  const form = new FormData($("join"));
  const name = (form.get("name") || "").trim();
  const token = (form.get("token") || "").trim();
  if (socket) return;
  try { sessionStorage.setItem(SAVED, JSON.stringify({name, token})); } catch { /* then it is typed again */ }
  sit(name, token, form.get("chips"));
});
$("leave").addEventListener("click", () => {
  say("#leave");
  notice("You stand up when the hand is over.");
});
if ($("out")) {
  $("out").addEventListener("click", () => {
    isOut = !isOut;
    say(isOut ? "#sit-out" : "#sit-in");
    $("out").textContent = isOut ? "Sit in" : "Sit out";
    $("out").setAttribute("aria-pressed", String(isOut));
  });
}
if ($("top-up")) {
  $("top-up").addEventListener("click", () => {
    const own = scene && scene.players.find((player) => player.you);
    const most = Number($("join").elements.chips.max);
    const lacking = most - (own ? own.stack + own.bet : 0);
    if (lacking > 0) {
      say(`#top-up ${lacking}`);
      notice(`You bring ${lacking} chips more before the next hand.`);
    }
  });
}
try {
  $("sound").checked = localStorage.getItem("sound") === "on";
  const saved = JSON.parse(sessionStorage.getItem(SAVED) || "{}");
  $("join").elements.name.value = saved.name || "";
  $("join").elements.token.value = saved.token || "";
} catch { /* a browser that keeps nothing */ }
$("sound").addEventListener("change", (event) => {
  try { localStorage.setItem("sound", event.target.checked ? "on" : "off"); } catch { /* for this page only */ }
  if (event.target.checked) beep();
});

// A page that the back button brings from the browser's memory has lost its seat and its events.
window.addEventListener("pageshow", (event) => event.persisted && location.reload());

watch();
