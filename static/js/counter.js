/** "1,200 of 4,000 characters" below a field with a limit; says how many are too many, and takes none away. */

/** Characters as the server counts them: code points, and one for a line end. */
const length = (text) => [...text.replaceAll("\r\n", "\n")].length;
const figure = (number) => number.toLocaleString("en");

export function activate(field) {
  const counter = document.getElementById(field.dataset.counter);
  const limit = Number(field.dataset.limit);
  if (!counter || !(limit > 0)) return;
  const show = () => {
    const over = length(field.value) - limit;
    counter.classList.toggle("is-near", over > -limit / 5);
    counter.classList.toggle("is-over", over > 0);
    counter.textContent =
      over > 0
        ? `${figure(over)} too many: ${figure(limit + over)} of ${figure(limit)} characters`
        : `${figure(limit + over)} of ${figure(limit)} characters`;
    // Spoken only near and over the limit; a count for each key would drown the text.
    counter.setAttribute("aria-live", over > -limit / 10 ? "polite" : "off");
  };
  field.addEventListener("input", show);
  show();
}
