// The lobby, looked at again every two seconds while it is seen.
import {make, number} from "./scene.js";

const EVERY_MS = 2000;
const list = document.getElementById("tables");

function fill(row, table) {
  const taken = table.seats.filter(Boolean);
  const free = table.seats.length - taken.length;
  const who = taken.flatMap((seat) => {
    const node = make("span", ["sits", !seat.there && "away", seat.house && "bot", seat.kind].filter(Boolean).join(" "), seat.name);
    if (Number.isFinite(seat.stack)) node.title = `${number(seat.stack)} chips`;
    return [node, " "];
  });
  row.querySelector(".who").replaceChildren(...who, make("span", "free", `${free} ${free === 1 ? "seat" : "seats"} free`));
  row.querySelector(".now").textContent = table.now;
}

function show(tables) {
  const rows = [...list.querySelectorAll("[data-table]")];
  if (rows.map((row) => row.dataset.table).join(" ") !== tables.map((table) => table.name).join(" ")) {
    location.reload();
    return;
  }
  tables.forEach((table, index) => fill(rows[index], table));
}

async function refresh() {
  if (!document.hidden) {
    try {
      show(await (await fetch("/tables.json")).json());
    } catch { /* the room is closed or out of reach: it is asked again */ }
  }
  setTimeout(refresh, EVERY_MS);
}

// A private table is asked for in the room's own lines; its address is the invitation.
function openPrivate() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const socket = new WebSocket(`${scheme}://${location.host}/seat`);
  const notice = document.getElementById("notice");
  notice.textContent = "Opening a table …";
  socket.addEventListener("open", () => socket.send("VERSION:2.0.0\r\n#riverboat/1 lobby\r\n#host nolimit-6p\r\n"));
  socket.addEventListener("message", (event) => {
    const message = JSON.parse(event.data);
    if (message.name === "hosted") location.href = `/tables/${message.text}?play`;
    else if (message.name === "refused") notice.textContent = message.text;
  });
}

document.getElementById("private")?.addEventListener("click", openPrivate);
show(JSON.parse(document.getElementById("rows").textContent));
setTimeout(refresh, EVERY_MS);
