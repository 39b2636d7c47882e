/** Asks before leaving a form whose changes have not been sent; never otherwise. Autosaved forms need none. */

/** What the form would send, without the token. */
function contents(form) {
  const fields = new FormData(form);
  fields.delete("csrf_token");
  return JSON.stringify([...fields].map(([name, value]) => [name, value instanceof File ? value.name : value]));
}

export function activate(form) {
  const before = contents(form);
  let sent = false;
  form.addEventListener("submit", () => {
    sent = true;
  });
  addEventListener("pageshow", () => {
    sent = false;
  });
  addEventListener("beforeunload", (event) => {
    if (!sent && contents(form) !== before) event.preventDefault();
  });
}
