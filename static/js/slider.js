/** The value of a range beside it, as it moves. */

export function activate(range) {
  const output = document.getElementById(range.dataset.rangeOutput);
  if (!output) return;
  const unit = range.dataset.unit ?? "";
  const show = () => {
    output.textContent = range.value + unit;
    if (unit) range.setAttribute("aria-valuetext", range.value + unit);
  };
  range.addEventListener("input", show);
  show();
}
