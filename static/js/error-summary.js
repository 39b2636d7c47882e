/** After a refused form: focus goes to the summary of what is to be corrected, and its links into the fields. */

export function activate(summary) {
  summary.focus();
  summary.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    const field = link && document.getElementById(link.hash.slice(1));
    if (!field) return;
    event.preventDefault();
    const control = field.matches("input, select, textarea") ? field : field.querySelector("input, select, textarea");
    (control ?? field).scrollIntoView({ block: "center" });
    control?.focus({ preventScroll: true });
  });
}
