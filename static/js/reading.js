/** Says that what was sent is being read, and holds back a second click: <form data-reading> with a [data-reading-state]
 * behind each button.
 *
 * The page stays until the answer is there, which takes some seconds for a file that is hard to read. Whoever stops
 * the loading, or comes back to the page, finds its buttons working.
 */

const AGAIN = 60_000; // ms; waiting and reading take at most half of it

export function activate(form) {
  const places = [...form.querySelectorAll("[data-reading-state]")];
  const buttons = [...form.querySelectorAll("button[type=submit]")];
  let isSent = false;
  let timer = 0;

  const placeOf = (button) =>
    places.find((place) => button?.compareDocumentPosition(place) & Node.DOCUMENT_POSITION_FOLLOWING) ?? places[0];
  const rest = () => {
    clearTimeout(timer);
    isSent = false;
    for (const place of places) place.textContent = "";
    for (const button of buttons) button.disabled = false;
  };
  const hasFile = () => [...form.querySelectorAll("input[type=file]")].some((input) => input.files.length > 0);

  form.addEventListener("submit", (event) => {
    if (isSent) {
      event.preventDefault();
      return;
    }
    const what = hasFile() && event.submitter?.value !== "text" ? "file" : "text";
    isSent = true;
    // Others may hold the form back still, and a button that was disabled now would not be sent along.
    setTimeout(() => {
      if (event.defaultPrevented) {
        isSent = false;
        return;
      }
      for (const button of buttons) button.disabled = true;
      placeOf(event.submitter).textContent = `Reading your ${what} … This takes some seconds; please stay on this page.`;
      timer = setTimeout(rest, AGAIN);
    });
  });
  addEventListener("pageshow", rest);
}
