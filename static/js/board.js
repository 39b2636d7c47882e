/** The board by hand and by arrow keys. Both press the button or fill the number that is on the card anyway, so that
 * whatever way a card is moved the same form is sent and the server decides.
 *
 * A card's handle: left and right choose a column it can go to, up and down a place in the ranking, Enter moves,
 * Escape gives up. What is chosen is said in a live region.
 */

const board = document.querySelector("[data-board]");
const said = document.querySelector("[data-board-said]");

const columnsOf = () => [...document.querySelectorAll("[data-column]")];
const columnOf = (card) => card.closest("[data-column]");
const labelOf = (column) => column.dataset.columnLabel;
const buttonTo = (card, column) => card.querySelector(`[data-to="${CSS.escape(column.dataset.column)}"]`);
const placeOf = (card) => card.querySelector("input[name^=place-]");

function say(words) {
  said.textContent = "";
  requestAnimationFrame(() => {
    said.textContent = words;
  });
}

/** Says in the live region and at the card where it cannot go, and where it can. */
function refuse(card, column) {
  const open = columnsOf().filter((other) => buttonTo(card, other)).map(labelOf);
  const words = `${card.dataset.name} cannot go to ${labelOf(column)} from here${open.length ? `, only to ${open.join(", ")}` : ""}.`;
  const shown = card.querySelector(".board-refused") ?? card.appendChild(document.createElement("p"));
  shown.className = "board-refused";
  shown.textContent = words;
  card.scrollIntoView({ block: "nearest", inline: "nearest" });
  say(words);
}

function clearMarks() {
  for (const column of columnsOf()) column.classList.remove("is-target", "is-closed-to");
  for (const card of document.querySelectorAll(".is-below")) card.classList.remove("is-below");
}

function moveTo(card, column) {
  const button = buttonTo(card, column);
  if (button) button.form.requestSubmit(button);
}

function saveAt(card, place) {
  const input = placeOf(card);
  if (!input || Number(input.value) === place) return;
  // Numbers that were typed and not saved stay out of a drop.
  for (const other of document.querySelectorAll("input[name^=place-]")) other.value = other.defaultValue;
  input.value = String(place);
  const button = document.querySelector("[data-save-order]");
  if (button) button.form.requestSubmit(button);
}

/** The place a card dropped at height `y` of the ranking would get, and the card it would stand above. */
function placeAt(column, card, y) {
  const others = [...column.querySelectorAll("[data-card]")].filter((other) => other !== card);
  const index = others.findIndex((other) => {
    const box = other.getBoundingClientRect();
    return y < box.top + box.height / 2;
  });
  const first = Number(column.dataset.first); // a long column shows a part of its cards
  return index < 0 ? { place: first + others.length, above: null } : { place: first + index, above: others[index] };
}

/** Pointer: works with a mouse, a pen and a finger; the handle takes the pointer, so that scrolling stays possible. */
function dragging(card, handle) {
  let over = null;
  let place = 0;
  let started = null;

  const find = (event) => {
    clearMarks();
    over = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-column]") ?? null;
    place = 0;
    for (const column of columnsOf()) {
      column.classList.toggle("is-closed-to", column !== columnOf(card) && !buttonTo(card, column));
    }
    if (!over) return;
    if (over === columnOf(card)) {
      if (!placeOf(card)) return;
      const at = placeAt(over, card, event.clientY);
      place = at.place;
      at.above?.classList.add("is-below");
    } else if (buttonTo(card, over)) {
      over.classList.add("is-target");
    }
  };
  const stop = () => {
    started = null;
    card.classList.remove("is-dragged");
    clearMarks();
  };

  handle.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    started = { x: event.clientX, y: event.clientY };
    handle.setPointerCapture(event.pointerId);
  });
  handle.addEventListener("pointermove", (event) => {
    if (!started) return;
    if (Math.hypot(event.clientX - started.x, event.clientY - started.y) < 6) return;
    card.classList.add("is-dragged");
    find(event);
  });
  handle.addEventListener("pointerup", (event) => {
    const dragged = card.classList.contains("is-dragged");
    if (dragged) find(event);
    const [target, at] = [over, place];
    stop();
    if (!dragged || !target) return;
    if (target === columnOf(card)) {
      if (at) saveAt(card, at);
    } else if (buttonTo(card, target)) {
      moveTo(card, target);
    } else {
      refuse(card, target);
    }
  });
  handle.addEventListener("pointercancel", stop);
}

function byKeys(card, handle) {
  let target = null;
  let place = 0;

  const forget = () => {
    target = null;
    place = 0;
    handle.setAttribute("aria-pressed", "false");
    clearMarks();
  };
  const sideways = (step) => {
    const open = columnsOf().filter((column) => column === columnOf(card) || buttonTo(card, column));
    const at = open.indexOf(target ?? columnOf(card)) + step;
    if (at < 0 || at >= open.length) {
      say("No further column in this direction.");
      return;
    }
    forget();
    if (open[at] === columnOf(card)) {
      say(`${card.dataset.name} stays in ${labelOf(open[at])}.`);
      return;
    }
    target = open[at];
    target.classList.add("is-target");
    handle.setAttribute("aria-pressed", "true");
    say(`To ${labelOf(target)}: ${buttonTo(card, target).textContent.trim()}. Enter to move, Escape to stay.`);
  };
  const upOrDown = (step) => {
    const input = placeOf(card);
    if (!input) {
      say("Only ranked applicants have an order.");
      return;
    }
    const from = place || Number(input.defaultValue);
    const total = Number(columnOf(card).dataset.total);
    const next = Math.min(Math.max(from + step, 1), total);
    forget();
    place = next;
    handle.setAttribute("aria-pressed", "true");
    say(`Place ${next} of ${total}. Enter to move, Escape to stay.`);
  };

  handle.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return; // Alt and an arrow go back in history
    const steps = { ArrowLeft: [sideways, -1], ArrowRight: [sideways, 1], ArrowUp: [upOrDown, -1], ArrowDown: [upOrDown, 1] };
    if (event.key in steps) {
      event.preventDefault();
      const [go, step] = steps[event.key];
      go(step);
    } else if (event.key === "Enter" && (target || place)) {
      event.preventDefault();
      const [column, at] = [target, place];
      forget(); // a key that is held down moves once
      if (column) moveTo(card, column);
      else saveAt(card, at);
    } else if (event.key === "Escape" && (target || place)) {
      forget();
      say(`${card.dataset.name} stays where it was.`);
    }
  });
  handle.addEventListener("blur", forget);
  handle.addEventListener("click", (event) => {
    const dropped = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-handle]") !== handle;
    const byPointer = event.detail > 0;
    if (!target && !place && !(byPointer && dropped)) say("Use the arrow keys: left and right for columns, up and down for the order.");
  });
}

if (board && said) {
  document.querySelector("[data-board-help]")?.classList.add("script-ready");
  for (const card of document.querySelectorAll("[data-card]")) {
    const handle = card.querySelector("[data-handle]");
    if (!handle) continue;
    handle.classList.add("script-ready");
    handle.setAttribute("aria-pressed", "false");
    dragging(card, handle);
    byKeys(card, handle);
  }
  // After a move the page comes back at the card, which the browser focuses: go on from its handle.
  const last = location.hash.startsWith("#card-") ? document.getElementById(location.hash.slice(1)) : null;
  const handle = last?.querySelector("[data-handle]");
  if (handle) {
    const goOn = () => handle.focus({ preventScroll: true });
    if (document.activeElement === last) goOn();
    else last.addEventListener("focus", goOn, { once: true });
  }
}
