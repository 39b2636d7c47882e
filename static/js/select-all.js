/** The box in a table's head that ticks all boxes of its rows; half-ticked while only some are. */

export function activate(box) {
  const table = document.getElementById(box.dataset.selectAll);
  if (!table) return;
  const rows = () => [...table.querySelectorAll("tbody input[type=checkbox]:not(:disabled)")];
  const show = () => {
    const ticked = rows().filter((row) => row.checked).length;
    box.checked = ticked > 0 && ticked === rows().length;
    box.indeterminate = ticked > 0 && !box.checked;
  };
  box.addEventListener("change", () => {
    for (const row of rows()) row.checked = box.checked;
    show();
  });
  table.addEventListener("change", (event) => {
    if (event.target !== box) show();
  });
  box.closest(".needs-script")?.classList.add("script-ready");
  show();
}
