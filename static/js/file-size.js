/** Says that a chosen file is too large before it is sent: <input type="file" data-largest-bytes="5242880">. */

import { showErrors } from "./field-errors.js";

const MEBIBYTE = 1_048_576;
const inMegabytes = (bytes) => (Math.ceil((bytes / MEBIBYTE) * 10) / 10).toLocaleString("en");

export function activate(input) {
  const largest = Number(input.dataset.largestBytes);
  const place = document.getElementById(`${input.id}-error`);
  if (!place || !(largest > 0)) return;

  const tooLarge = () => input.files.length > 0 && input.files[0].size > largest;
  const show = () => {
    const said =
      tooLarge() &&
      `This file has ${inMegabytes(input.files[0].size)} MB; at most ${inMegabytes(largest)} MB can be read. ` +
        "Make it smaller, for example by leaving out pictures, or paste the text instead.";
    showErrors(input, said ? [said] : []);
  };
  place.setAttribute("role", "status");
  input.addEventListener("change", show);
  input.form?.addEventListener("submit", (event) => {
    if (!tooLarge() || event.submitter?.value === "text") return;
    event.preventDefault();
    show();
    input.focus();
  });
}
