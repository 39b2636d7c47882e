/** Narrows a list that is already on the page to the entries that hold every word typed.
 *
 * <form data-filter="works" data-one="work" data-many="works"> narrows #works: its [data-filter-item] entries (or
 * its <li> children), and hides [data-filter-group] parts that have none left. The count is announced in the
 * form's [data-filter-count]. Where the server has filtered already, the page holds a part of the list only, and
 * the form goes on asking the server.
 */

import { onTyped } from "./typing.js";

const PAUSE = 150; // ms: a count for each key would flood a screen reader

/** Letters that are no letter with an accent on it, by what people type for them; as in portal/labs/folding.py. */
const letters = new Map(
  "ß ss æ ae œ oe þ th ø o ł l đ d ð d ħ h ŧ t ı i ŋ n ə e ĸ k"
    .match(/\S+ \S+/gu)
    .map((pair) => pair.split(" ")),
);

/** Lower case without accents and strokes, so that "Muller" finds "Müller" and "Lukasz" "Łukasz". */
const plain = (text) =>
  text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^\x00-\x7f]/gu, (sign) => letters.get(sign) ?? sign);

export function activate(form) {
  const list = document.getElementById(form.dataset.filter);
  const box = form.querySelector("input[type=search]");
  const status = form.querySelector("[data-filter-count]");
  if (!list || !box || box.defaultValue.trim()) return;

  const marked = [...list.querySelectorAll("[data-filter-item]")];
  const entries = (marked.length > 0 ? marked : [...list.children]).map((item) => ({
    item,
    text: plain(item.textContent),
  }));
  const groups = [...list.querySelectorAll("[data-filter-group]")];
  const many = (count) => `${count.toLocaleString("en")} ${count === 1 ? form.dataset.one : form.dataset.many}`;

  const narrow = () => {
    const words = plain(box.value).split(/\s+/u).filter(Boolean);
    let shown = 0;
    for (const { item, text } of entries) {
      item.hidden = !words.every((word) => text.includes(word));
      if (!item.hidden) shown += 1;
    }
    for (const group of groups) {
      group.hidden = !group.querySelector("[data-filter-item]:not([hidden])");
    }
    if (words.length === 0) {
      status.textContent = "";
    } else if (shown === 0) {
      status.textContent = `None of ${many(entries.length)} holds “${box.value.trim()}”. Clear the box to see all.`;
    } else {
      status.textContent = `${shown.toLocaleString("en")} of ${many(entries.length)}`;
    }
  };

  let timer = 0;
  onTyped(box, () => {
    clearTimeout(timer);
    timer = setTimeout(narrow, PAUSE);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    narrow();
  });
  // The list is complete, so there is nothing to ask the server for.
  form.querySelector("[type=submit]")?.setAttribute("hidden", "");
  if (box.value) narrow(); // the browser filled the box in again on the way back
}
