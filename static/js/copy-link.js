/** A button that copies the address its GET form leads to: <button data-copy-link="What is said then">.
 *
 * Where nothing can be copied, as over plain http, the form is sent instead: the address bar then has the link.
 */

export function activate(button) {
  const said = document.createElement("span");
  said.setAttribute("role", "status");
  said.className = "small quiet";
  button.after(said);
  button.addEventListener("click", async (event) => {
    if (!navigator.clipboard) return;
    event.preventDefault();
    const address = new URL(button.form.action);
    address.search = new URLSearchParams(new FormData(button.form)).toString();
    try {
      await navigator.clipboard.writeText(address);
      said.textContent = ` ${button.dataset.copyLink}`;
    } catch {
      button.form.submit();
    }
  });
}
