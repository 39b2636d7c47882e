/** Single keys for working through a queue: a part with data-review-keys, links and buttons in it with data-key="j".
 *
 * Where the part has lines with data-row, j and k go from line to line and o opens the one that has the focus; where it
 * has a scorecard, digits set its points (point-keys.js).
 * "?" or a [data-key-list] button opens the list of keys, where they can be turned off, "?" among them (the choice is
 * kept on this device). Keys are not taken
 * while one types, with Ctrl, Alt or Meta, or while the list is open. A key that is held down acts once, unless it
 * goes from line to line.
 */

import { POINT_KEYS, hasPoints, setPoints } from "./point-keys.js";

const STORE = "portal.keys";
const TYPING = "input:not([type=checkbox], [type=radio], [type=range], [type=button], [type=submit]), textarea, select, [contenteditable]";

let hereOnly = null; // the choice where the browser keeps none

function turnedOff() {
  try {
    return (hereOnly ?? localStorage.getItem(STORE)) === "off";
  } catch {
    return false;
  }
}

function remember(choice) {
  try {
    localStorage.setItem(STORE, choice);
    hereOnly = null;
  } catch {
    hereOnly = choice; // storage is full or forbidden
  }
}

function nameOf(control) {
  return control.dataset.keyLabel || control.getAttribute("aria-label") || control.textContent.trim().replace(/\s+/gu, " ");
}

const ROW_KEYS = [["j", "Next line"], ["k", "Line before"], ["o", "Open this line"]];
const GOING = ["j", "k"]; // from line to line
const TICK_KEY = ["x", "Tick this line"];

/** Go from line to line of `part`; whether `key` was one of those keys. */
function moveInRows(part, key) {
  const links = [...part.querySelectorAll("[data-row] a:first-of-type")];
  if (links.length === 0 || ![...ROW_KEYS, TICK_KEY].some(([one]) => one === key)) return false;
  const at = links.findIndex((link) => link.closest("[data-row]").contains(document.activeElement));
  if (key === "x") {
    links[at]?.closest("[data-row]").querySelector("input[type=checkbox]")?.click();
  } else if (key === "o") {
    links[Math.max(at, 0)].click();
  } else {
    const next = key === "j" ? at + 1 : Math.max(at - 1, 0);
    links[Math.min(next, links.length - 1)].focus();
  }
  return true;
}

/** The dialog that lists the keys of `part`. */
function keyList(part) {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-labelledby", "key-list-title");
  const title = document.createElement("h2");
  title.id = "key-list-title";
  title.textContent = "Keys on this page";
  const list = document.createElement("dl");
  list.className = "facts";
  const rows = [...part.querySelectorAll("[data-key]")].map((control) => [control.dataset.key, nameOf(control)]);
  if (part.querySelector("[data-row]")) rows.unshift(...ROW_KEYS);
  if (part.querySelector("[data-row] input[type=checkbox]")) rows.unshift(TICK_KEY);
  if (hasPoints(part)) rows.unshift(...POINT_KEYS);
  for (const [key, label] of [...rows, ["?", "This list"]]) {
    const term = document.createElement("dt");
    const sign = document.createElement("kbd");
    sign.textContent = key;
    term.append(sign);
    const meaning = document.createElement("dd");
    meaning.textContent = label;
    list.append(term, meaning);
  }
  dialog.append(title, list, onOffSwitch(), closeButton(dialog));
  dialog.addEventListener("close", () => dialog.remove());
  return dialog;
}

function onOffSwitch() {
  const line = document.createElement("p");
  const label = document.createElement("label");
  const box = document.createElement("input");
  box.type = "checkbox";
  box.checked = !turnedOff();
  box.addEventListener("change", () => remember(box.checked ? "on" : "off"));
  label.append(box, " Use single keys on this device");
  line.append(label);
  return line;
}

function closeButton(dialog) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "btn btn-secondary";
  button.textContent = "Close";
  button.addEventListener("click", () => dialog.close());
  return button;
}

export function activate(part) {
  const showList = () => {
    const dialog = keyList(part);
    document.body.append(dialog);
    dialog.showModal();
  };
  for (const button of part.querySelectorAll("[data-key-list]")) {
    button.addEventListener("click", showList);
    button.classList.add("script-ready");
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (event.target.closest(TYPING) || document.querySelector("dialog[open]")) return;
    if (turnedOff() || event.key.length !== 1) return;
    if (event.key === "?") {
      event.preventDefault();
      showList();
      return;
    }
    if (event.repeat && !GOING.includes(event.key)) return;
    if (moveInRows(part, event.key)) {
      event.preventDefault();
      return;
    }
    if (event.repeat) return;
    if (setPoints(part, event.key)) {
      event.preventDefault();
      return;
    }
    const control = part.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (!control) return;
    event.preventDefault();
    control.click();
  });
}
