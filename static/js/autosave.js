/** Saves a form in the background, and says in its [data-save-state] what was saved when.
 *
 * <form method="post" data-autosave> posts its fields to its own address (or to the one in the attribute's value)
 * with "Accept: application/json". The server answers
 *   200 {"saved_at": "2026-11-20T21:55:00+00:00", "fields": {"version": "8"}, "parts": {"checklist": "<ul>…"}}
 *                                                        – the fields are put into the form, the parts into the
 *                                                          elements with these ids, which tell of what is saved;
 *   409 {"error": {"reason", "advice"}}                  – saved elsewhere meanwhile: autosave stops, the form's own
 *                                                          button shows both versions;
 *   404                                                  – removed meanwhile: autosave stops, the page keeps what was typed;
 *   422 {"error": {…}, "errors": {"statement": ["…"]}}   – shown beside the fields; tried again after the next change;
 *   anything else                                        – said, kept in the page, and tried again.
 * Leaving the page is questioned only while something is not saved.
 */

import { showErrors } from "./field-errors.js";
import { differsFromPage } from "./form-changes.js";
import { renewToken } from "./form-token.js";

const PAUSE = 1_200; // ms after the last key
const SLOW = 1_000; // ms until it is said that a save is under way
const LONGEST = 30_000; // ms until a save without an answer is given up
const RETRIES = [2_000, 5_000, 15_000, 30_000]; // ms; the last one repeats
const UNEXPECTED = "Not saved: the portal does not answer as it should. What you typed is kept here, and is tried again.";
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

class Autosave {
  constructor(form) {
    this.form = form;
    this.status = form.querySelector("[data-save-state]");
    this.dirty = false; // something changed since the last save that succeeded
    this.stopped = false;
    this.failures = 0;
    this.timer = 0;
    this.running = null; // the save that is under way
    this.renewed = false;
  }

  listen() {
    this.form.addEventListener("input", () => this.changed());
    this.form.addEventListener("change", () => this.changed());
    this.form.addEventListener("submit", (event) => this.submitting(event));
    document.addEventListener("visibilitychange", () => {
      if (this.dirty && !this.stopped) this.schedule(0);
    });
    addEventListener("online", () => this.dirty && this.schedule(0));
    addEventListener("beforeunload", (event) => {
      if (this.dirty || this.running) event.preventDefault();
    });
    // What was typed before this module had arrived, or was put back by the browser, is not saved either.
    if (differsFromPage(this.form)) this.changed();
  }

  changed() {
    this.dirty = true;
    if (!this.stopped) this.schedule(PAUSE);
  }

  schedule(delay) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), delay);
  }

  /** A save by button waits for one that is under way, or it would find itself out of date. */
  async submitting(event) {
    clearTimeout(this.timer);
    if (!this.running) {
      this.dirty = false;
      return;
    }
    event.preventDefault();
    this.say("Saving …", "saving");
    await Promise.allSettled([this.running]);
    clearTimeout(this.timer);
    this.form.requestSubmit(event.submitter);
  }

  async save() {
    if (this.running || this.stopped || !this.dirty) return;
    this.dirty = false;
    this.running = this.send().finally(() => {
      this.running = null;
    });
    const outcome = await this.running;
    if (outcome === "again") this.schedule(0);
    else if (this.dirty && outcome === "saved") this.schedule(PAUSE);
  }

  /** What the form holds but its files, which have a button of their own. */
  fields() {
    const fields = new FormData(this.form);
    for (const input of this.form.querySelectorAll("input[type=file]")) fields.delete(input.name);
    return fields;
  }

  async send() {
    let answer;
    let body;
    const waiting = new AbortController();
    const limit = setTimeout(() => waiting.abort(), LONGEST);
    const slow = setTimeout(() => this.isSlow(), SLOW);
    try {
      answer = await fetch(this.form.dataset.autosave || this.form.action, {
        method: "POST",
        body: this.fields(),
        headers: { Accept: "application/json" },
        credentials: "same-origin",
        signal: waiting.signal,
      });
      body = answer.headers.get("Content-Type")?.startsWith("application/json") ? await answer.json() : {};
    } catch (error) {
      if (!(error instanceof TypeError)) return this.failed(UNEXPECTED); // too late, or no JSON
      return this.failed("Not saved: there is no connection. What you typed is kept here, and is tried again.");
    } finally {
      clearTimeout(limit);
      clearTimeout(slow);
    }
    if (answer.ok && body.saved_at) return this.saved(body);
    if (answer.status === 409) return this.outdated(body);
    if (answer.status === 404) return this.gone();
    if (answer.status === 422) return this.refused(body);
    if (answer.status === 400 || answer.status === 403 || answer.ok) return this.signedOut();
    return this.failed(UNEXPECTED);
  }

  /** "Saved 15:08" must not stand beside what is not saved yet; that something failed stays until it no longer does. */
  isSlow() {
    if (this.status?.dataset.state !== "failed") this.say("Saving …", "saving");
  }

  saved({ saved_at: savedAt, fields = {}, parts = {} }) {
    this.failures = 0;
    this.renewed = false;
    for (const [name, value] of Object.entries(fields)) {
      if (this.form.elements[name]) this.form.elements[name].value = value;
    }
    for (const [id, html] of Object.entries(parts)) {
      const part = new DOMParser().parseFromString(html, "text/html").body;
      document.getElementById(id)?.replaceChildren(...part.childNodes);
    }
    this.showErrors({});
    this.say(`Saved ${clock.format(new Date(savedAt))}`, "saved");
    return "saved";
  }

  refused({ error, errors = {} }) {
    this.dirty = true;
    this.showErrors(errors);
    this.say(`Not saved yet: ${error?.reason ?? "something is to be corrected"}`, "failed");
    return "refused";
  }

  outdated({ error }) {
    this.dirty = true;
    this.stopped = true;
    this.say(`Not saved: ${error?.reason ?? "this was saved in another tab meanwhile."} ${error?.advice ?? ""}`, "failed");
    return "outdated";
  }

  gone() {
    this.dirty = true;
    this.stopped = true;
    this.say("Not saved: this is not there any more. Copy what you want to keep before you leave the page.", "failed");
    return "gone";
  }

  /** The session ended, or began anew with another token. A fresh token is tried once; then the reader is asked. */
  async signedOut() {
    this.dirty = true;
    const renewal = this.renewed ? "away" : await renewToken(this.form);
    if (renewal === "renewed") {
      this.renewed = true;
      return "again";
    }
    if (renewal === "another") {
      this.stopped = true;
      this.say("Not saved: somebody else has signed in in this browser. What you typed here is not saved for them.", "failed");
      return "another";
    }
    this.renewed = false;
    const outcome = this.failed("Not saved: you are signed out. ");
    this.status?.append(this.signInLink(), "; then what you typed here is saved.");
    return outcome;
  }

  signInLink() {
    const link = document.createElement("a");
    link.href = this.status.dataset.saveState;
    link.target = "_blank";
    link.textContent = "Sign in in another tab";
    return link;
  }

  failed(words) {
    this.dirty = true;
    this.say(words, "failed");
    this.schedule(RETRIES[Math.min(this.failures, RETRIES.length - 1)]);
    this.failures += 1;
    return "failed";
  }

  say(words, state) {
    if (!this.status) return;
    this.status.textContent = words;
    this.status.dataset.state = state;
  }

  /** Errors beside their fields; old ones go. */
  showErrors(errors) {
    for (const control of this.form.elements) {
      showErrors(control, errors[control.name] ?? []);
    }
  }
}

export function activate(form) {
  new Autosave(form).listen();
}
