/** Results that follow a form: sends it as it changes and puts the part of the answer into the page.
 *
 * <form data-live data-target="#results"> is sent by its own method and address; the answer is the whole page or
 * just the part, and its element with the same id replaces what stands in the target. Answers that come too late
 * are dropped. <details data-keep-open="…"> stay open or folded and boxes ticked as they were, focus stays where it is,
 * and the entry under the reader's eyes (an element with an id) keeps its place on the screen. With data-live-address a
 * GET form also writes its state into the address bar; with data-keep="q", what is in that field of a private form outlasts
 * a reload in the tab's own history, and is in no address. What is in the part's [data-count] is announced. Who presses the
 * form's button is led to results that stand below the screen.
 */

import { differsFromPage } from "./form-changes.js";
import { onTyped } from "./typing.js";

const PAUSE = 300; // ms after the last key or move

const FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]";

const keyOf = (details) => details.dataset.keepOpen || details.id;

/** Where `element` is within `target`: the nearest entry with an id, and which of its links and controls it is. */
function placeOf(element, target) {
  const entry = target.contains(element) ? element.closest("[id]") : null;
  if (!entry || entry === target) return null; // what has no name cannot be told from its neighbours
  return { id: entry.id, at: [...entry.querySelectorAll(FOCUSABLE)].indexOf(element) };
}

function atPlace({ id, at }) {
  const entry = document.getElementById(id);
  return at < 0 ? entry : entry?.querySelectorAll(FOCUSABLE)[at];
}

class LiveResults {
  constructor(form, target) {
    this.form = form;
    this.target = target;
    this.timer = 0;
    this.asked = null;
    this.answered = null; // what the form said when the results that stand there were asked for
    this.keeps = form.elements[form.dataset.keep];
    this.pressed = false; // by its button: whoever presses it wants to see the results
    this.status = document.createElement("p");
    this.status.className = "visually-hidden";
    this.status.setAttribute("role", "status");
    target.before(this.status);
  }

  listen() {
    onTyped(this.form, () => this.schedule(PAUSE));
    this.form.addEventListener("change", () => this.schedule(PAUSE));
    this.form.addEventListener("submit", (event) => {
      if (event.submitter?.name) return; // a button with a name does something of its own
      event.preventDefault();
      this.answered = null;
      this.pressed = true;
      this.schedule(0);
    });
    const kept = history.state?.kept;
    if (this.keeps && kept && !this.keeps.value) this.keeps.value = kept;
    // The browser puts back what was typed when one returns; the results must say the same.
    if (differsFromPage(this.form)) this.schedule(0);
    else this.answered = this.said();
  }

  schedule(delay) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), delay);
  }

  said() {
    return new URLSearchParams(new FormData(this.form)).toString();
  }

  async ask() {
    this.asked?.abort();
    const said = this.said();
    const { pressed } = this;
    this.pressed = false;
    if (said === this.answered) {
      // Leaving a field tells of a change again that was asked for as it was typed.
      this.target.removeAttribute("aria-busy");
      return;
    }
    const asked = new AbortController();
    this.asked = asked;
    this.target.setAttribute("aria-busy", "true");
    try {
      const [address, options] = this.request();
      const answer = await fetch(address, { ...options, signal: asked.signal, credentials: "same-origin" });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const part = page.getElementById(this.target.id);
      if (part) {
        this.replace(part);
        if (pressed) this.bringIntoView();
        if (answer.ok) {
          this.answered = said;
          document.title = page.title;
          if (this.keeps) history.replaceState({ ...history.state, kept: this.keeps.value }, "");
          this.writeAddress(address);
        }
      } else {
        this.say(this.reason(answer, page));
      }
    } catch (error) {
      if (error.name === "AbortError") return; // a newer question is under way
      if (!(error instanceof TypeError)) throw error;
      this.say("The list could not be renewed: there is no connection. It shows what was there before.");
    }
    if (this.asked === asked) this.target.removeAttribute("aria-busy");
  }

  request() {
    const address = new URL(this.form.action);
    const fields = new FormData(this.form);
    if (this.form.method === "post") {
      return [address, { method: "POST", body: fields, headers: { Accept: "text/html" } }];
    }
    const filled = [...fields].filter(([, value]) => typeof value === "string" && value !== "");
    address.search = new URLSearchParams(filled).toString();
    return [address, { headers: { Accept: "text/html" } }];
  }

  reason(answer, page) {
    if (answer.status === 429) return "That was a little fast. Wait a minute; the list then follows again.";
    return page.querySelector("main .lead")?.textContent ?? "The list could not be renewed. It shows what was there before.";
  }

  replace(part) {
    const wasOpen = new Map([...this.target.querySelectorAll("details")].map((details) => [keyOf(details), details.open]));
    const ticked = [...this.target.querySelectorAll("input[type=checkbox][id]:checked")].map((box) => box.id);
    const anchor = this.entryInView();
    const offset = anchor?.getBoundingClientRect().top;
    const focused = placeOf(document.activeElement, this.target);

    this.target.replaceChildren(...part.childNodes);

    for (const details of this.target.querySelectorAll("details")) {
      if (keyOf(details)) details.open = wasOpen.get(keyOf(details)) ?? details.open;
    }
    for (const id of ticked) {
      const box = document.getElementById(id);
      if (box) box.checked = true;
    }
    if (focused) atPlace(focused)?.focus({ preventScroll: true });
    const moved = anchor?.id && document.getElementById(anchor.id);
    if (moved) scrollBy({ top: moved.getBoundingClientRect().top - offset, behavior: "instant" });
    const counts = [...this.target.querySelectorAll("[data-count]")];
    this.status.textContent = counts.map((count) => count.textContent.trim()).join(" ");
    this.target.dispatchEvent(new CustomEvent("portal:replaced", { bubbles: true }));
  }

  /** On a phone the results are below the screen: nothing would seem to happen. */
  bringIntoView() {
    if (this.target.getBoundingClientRect().top > innerHeight / 2) this.target.scrollIntoView();
  }

  /** The entry that the reader is in: one they opened, else the first on the screen; none before they scroll. */
  entryInView() {
    if (this.target.getBoundingClientRect().top >= 0) return null;
    const onScreen = [...this.target.querySelectorAll("[id]")].filter((entry) => {
      const { top, bottom } = entry.getBoundingClientRect();
      return bottom > 0 && top < innerHeight;
    });
    return onScreen.find((entry) => entry.querySelector("details[open]")) ?? onScreen[0] ?? null;
  }

  writeAddress(address) {
    if (this.form.hasAttribute("data-live-address") && this.form.method === "get") {
      history.replaceState(history.state, "", address);
    }
  }

  /** A line above the list; the list itself stays as it was. */
  say(words) {
    let note = this.target.previousElementSibling;
    if (!note?.matches("[data-live-note]")) {
      note = document.createElement("p");
      note.className = "notice notice-warn";
      note.dataset.liveNote = "";
      this.target.before(note);
    }
    note.textContent = words;
    this.status.textContent = words;
    this.target.addEventListener("portal:replaced", () => note.remove(), { once: true });
  }
}

export function activate(form) {
  const target = document.querySelector(form.dataset.target);
  if (target?.id) new LiveResults(form, target).listen();
}
