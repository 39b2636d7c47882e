/** Says that a chosen file is too large before it is sent: <input type="file" data-largest-bytes="5242880">. */

const MEBIBYTE = 1_048_576;
const inMegabytes = (bytes) => (Math.ceil((bytes / MEBIBYTE) * 10) / 10).toLocaleString("en");

export function activate(input) {
  const largest = Number(input.dataset.largestBytes);
  const place = document.getElementById(`${input.id}-error`);
  if (!place || !(largest > 0)) return;

  const tooLarge = () => input.files.length > 0 && input.files[0].size > largest;
  const show = () => {
    place.replaceChildren();
    input.closest(".field")?.classList.toggle("has-error", tooLarge());
    if (!tooLarge()) {
      input.removeAttribute("aria-invalid");
      return;
    }
    const line = document.createElement("p");
    line.className = "field-error";
    line.textContent =
      `This file has ${inMegabytes(input.files[0].size)} MB; at most ${inMegabytes(largest)} MB can be read. ` +
      "Make it smaller, for example by leaving out pictures, or paste the text instead.";
    place.append(line);
    input.setAttribute("aria-invalid", "true");
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
