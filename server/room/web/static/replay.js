// A hand that is over, step by step.
import {Felt} from "./scene.js";

const scenes = JSON.parse(document.getElementById("scenes").textContent);
const felt = new Felt(document.getElementById("felt"));
const lines = [...document.getElementById("story").children];
const wanted = /^#step-(\d+)$/.exec(location.hash);
let at = wanted ? Number(wanted[1]) : scenes.length - 1;

function show(step) {
  at = Math.max(0, Math.min(scenes.length - 1, step));
  felt.draw(scenes[at]);
  const told = scenes[at].story.length;
  lines.forEach((line, index) => line.classList.toggle("now", index === told - 1));
  document.getElementById("step").textContent = `Step ${at + 1} of ${scenes.length}`;
  for (const [id, off] of [["first", at === 0], ["back", at === 0], ["forward", at === scenes.length - 1], ["end", at === scenes.length - 1]]) {
    document.getElementById(id).disabled = off;
  }
  history.replaceState(null, "", `#step-${at}`);
}

document.getElementById("steps").hidden = false;
document.getElementById("first").addEventListener("click", () => show(0));
document.getElementById("back").addEventListener("click", () => show(at - 1));
document.getElementById("forward").addEventListener("click", () => show(at + 1));
document.getElementById("end").addEventListener("click", () => show(scenes.length - 1));
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "ArrowLeft") show(at - 1);
  else if (event.key === "ArrowRight") show(at + 1);
});
show(at);
