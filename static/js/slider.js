/** The value of a range beside it, as it moves. */

export function activate(range) {
  const output = document.getElementById(range.dataset.rangeOutput);
  if (!output) return;
  const show = () => {
    output.textContent = range.value;
  };
  range.addEventListener("input", show);
  show();
}
