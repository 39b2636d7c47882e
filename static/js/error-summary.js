/** After a refused form: focus goes to the summary of what is to be corrected, and its links into the fields. */

export function activate(summary) {
  // Whoever types already, because this came late, goes on typing.
  if (document.activeElement === document.body) summary.focus();
  summary.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    const field = link && document.getElementById(link.hash.slice(1));
    if (!field) return;
    const inputs = "input:not([type=hidden]), select, textarea";
    const control = field.matches(inputs) ? field : field.querySelector(inputs);
    if (!control) return; // a part without fields, where the browser leads by itself
    event.preventDefault();
    control.scrollIntoView({ block: "center" });
    control.focus({ preventScroll: true });
  });
}
