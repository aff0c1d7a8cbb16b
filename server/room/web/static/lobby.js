// The lobby, looked at again every two seconds while it is seen.
import {make} from "./scene.js";

const EVERY_MS = 2000;
const body = document.querySelector("#tables tbody");

function fill(row, table) {
  const taken = table.seats.filter(Boolean);
  const who = taken.flatMap((seat) => [make("span", seat.there ? "sits" : "sits away", seat.name), " "]);
  row.querySelector(".who").replaceChildren(...who, make("span", "free", `${table.seats.length - taken.length} free`));
  row.querySelector(".hands").textContent = table.hands;
}

async function refresh() {
  if (!document.hidden) {
    try {
      const tables = await (await fetch("/tables.json")).json();
      const names = tables.map((table) => table.name).join(" ");
      const rows = [...body.querySelectorAll("tr[data-table]")];
      if (rows.map((row) => row.dataset.table).join(" ") !== names) {
        location.reload();
        return;
      }
      tables.forEach((table, index) => fill(rows[index], table));
    } catch { /* the room is closed or out of reach: it is asked again */ }
  }
  setTimeout(refresh, EVERY_MS);
}

setTimeout(refresh, EVERY_MS);
