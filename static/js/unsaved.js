/** Asks before leaving a form whose changes have not been sent; never otherwise. Autosaved forms need none. */

import { differsFromPage } from "./form-changes.js";

/** Whether the page came back with what was typed into `form`: refused, or to show what it would do. */
function holdsWhatWasTyped(form) {
  const isWithin = (link) => form.contains(document.getElementById(link.hash.slice(1)));
  const concerns = (summary) => {
    const links = [...summary.querySelectorAll("a[href^='#']")];
    return links.length === 0 || links.some(isWithin);
  };
  return (
    form.dataset.unsaved === "typed" ||
    form.querySelector('[aria-invalid="true"]') !== null ||
    [...document.querySelectorAll("[data-error-summary]")].some(concerns)
  );
}

export function activate(form) {
  const cameBack = holdsWhatWasTyped(form);
  let sent = false;
  form.addEventListener("submit", (event) => {
    const before = sent;
    sent = true;
    // Another script may hold the form back still, as where a file is too large.
    setTimeout(() => {
      if (event.defaultPrevented) sent = before;
    });
  });
  addEventListener("pageshow", () => {
    sent = false;
  });
  addEventListener("beforeunload", (event) => {
    if (!sent && (cameBack || differsFromPage(form))) event.preventDefault();
  });
}
