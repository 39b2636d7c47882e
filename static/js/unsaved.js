/** Asks before leaving a form whose changes have not been sent; never otherwise. Autosaved forms need none. */

import { differsFromPage } from "./form-changes.js";

export function activate(form) {
  // A form that came back refused, or to show what it would do, holds what was typed, and it is not saved.
  const refused = document.querySelector("[data-error-summary]") !== null || form.dataset.unsaved === "typed";
  let sent = false;
  form.addEventListener("submit", (event) => {
    sent = true;
    // Another script may hold the form back still, as where a file is too large.
    setTimeout(() => {
      if (event.defaultPrevented) sent = false;
    });
  });
  addEventListener("pageshow", () => {
    sent = false;
  });
  addEventListener("beforeunload", (event) => {
    if (!sent && (refused || differsFromPage(form))) event.preventDefault();
  });
}
