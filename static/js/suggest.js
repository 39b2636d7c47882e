/** Suggestions from the server in the <datalist> of a text box: data-suggest is an address that takes ?q= and
 * answers {"suggestions": ["…"]}. What the list held before stays where the server has nothing to add. */

import { onTyped } from "./typing.js";

const PAUSE = 200; // ms
const SHORTEST = 2; // characters

export function activate(box) {
  const shared = box.list;
  if (!shared) return;
  // A list of its own: several boxes may share the one that came with the page.
  const list = shared.cloneNode(true);
  list.id = `${box.id}-suggestions`;
  const usual = [...list.children];
  let timer = 0;
  let asked = null;

  const ask = async () => {
    asked?.abort();
    const typed = box.value.trim();
    if (typed.length < SHORTEST) {
      list.replaceChildren(...usual);
      return;
    }
    asked = new AbortController();
    const address = new URL(box.dataset.suggest, location.href);
    address.searchParams.set("q", typed);
    try {
      const answer = await fetch(address, { headers: { Accept: "application/json" }, signal: asked.signal });
      if (!answer.ok) return; // suggestions are a help; the box works without
      const { suggestions } = await answer.json();
      list.replaceChildren(...suggestions.map((text) => new Option("", text)));
    } catch (error) {
      if (error.name !== "AbortError" && !(error instanceof TypeError)) throw error;
    }
  };
  box.addEventListener("focus", () => {
    if (!list.isConnected) {
      shared.after(list);
      box.setAttribute("list", list.id);
    }
  });
  onTyped(box, () => {
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE);
  });
}
