/** The box above a table or a list that ticks all other boxes in it; half-ticked while only some are. */

export function activate(box) {
  const list = document.getElementById(box.dataset.selectAll);
  if (!list) return;
  const rows = () => [...list.querySelectorAll("input[type=checkbox]:not(:disabled)")].filter((one) => one !== box);
  const show = () => {
    const ticked = rows().filter((row) => row.checked).length;
    box.checked = ticked > 0 && ticked === rows().length;
    box.indeterminate = ticked > 0 && !box.checked;
  };
  box.addEventListener("change", () => {
    for (const row of rows()) row.checked = box.checked;
    show();
  });
  list.addEventListener("change", (event) => {
    if (event.target !== box) show();
  });
  box.closest(".needs-script")?.classList.add("script-ready");
  show();
}
