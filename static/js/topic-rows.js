/** Rows of topics: added and removed at once, without sending the form.
 *
 * <fieldset data-topic-rows="12"> holds an <ol> of [data-topic-row] and buttons named add_topic and remove_topic;
 * without JavaScript these send the form, and the server answers with the rows changed. Those that add are in
 * [data-adding-rows]; where every row there can be is filled, [data-rows-full] stands in its place. A button that adds
 * may carry the text of the topic in its value. With data-not-saved the page came back from such a button and holds
 * what is not saved yet; a form that saves itself is told so.
 */

export function activate(group) {
  const list = group.querySelector("ol");
  const most = Number(group.dataset.topicRows);
  const rows = () => [...list.querySelectorAll("[data-topic-row]")];
  const textOf = (row) => row.querySelector('input[name$="-text"]');
  const status = document.createElement("p");
  status.className = "field-help";
  status.setAttribute("role", "status");
  list.after(status);
  let made = 0; // rows made here

  /** Numbers names and labels by place, as the server does when it names a field that is wrong. */
  function renumber() {
    rows().forEach((row, place) => {
      for (const input of row.querySelectorAll("input")) input.name = input.name.replace(/topics-\d+-/, `topics-${place}-`);
      row.querySelector('label[for$="-text"]').textContent = `Topic ${place + 1}`;
      const button = row.querySelector('button[name="remove_topic"]');
      button.value = String(place);
      button.querySelector(".visually-hidden").textContent = ` topic ${place + 1}`;
    });
    showWhetherFull();
  }

  function showWhetherFull() {
    const isFull = rows().filter((row) => textOf(row).value.trim()).length >= most;
    group.querySelector("[data-adding-rows]").hidden = isFull;
    group.querySelector("[data-rows-full]").hidden = !isFull;
  }

  /** An empty row like the first one, with ids that no row had before; the server always sends at least one. */
  function emptyRow() {
    const row = rows()[0].cloneNode(true);
    made += 1;
    for (const element of row.querySelectorAll("*")) {
      for (const attribute of ["id", "for", "aria-describedby"]) {
        const value = element.getAttribute(attribute);
        if (value) element.setAttribute(attribute, value.replaceAll(/topics-(?:new-)?\d+-/g, `topics-new-${made}-`));
      }
    }
    for (const field of row.querySelectorAll(".field")) field.classList.remove("has-error");
    for (const errors of row.querySelectorAll(".field-errors")) errors.replaceChildren();
    for (const input of row.querySelectorAll("input")) {
      input.removeAttribute("aria-invalid");
      input.value = input.name.endsWith("-weight") ? "1" : "";
    }
    textOf(row).setAttribute("list", "topic-suggestions");
    return row;
  }

  function add(text) {
    const fillsFree = text || rows().length >= most;
    const free = fillsFree ? rows().find((row) => textOf(row).value.trim() === "") : undefined;
    const row = free ?? emptyRow();
    if (!free) list.append(row);
    textOf(row).value = text;
    renumber();
    if (!free) row.dispatchEvent(new CustomEvent("portal:replaced", { bubbles: true }));
    textOf(row).focus();
    status.textContent = text ? `Added: ${text}` : "";
  }

  function remove(row) {
    const text = textOf(row).value.trim();
    const next = row.nextElementSibling ?? row.previousElementSibling;
    if (next) row.remove();
    else textOf(row).value = "";
    renumber();
    textOf(next ?? row).focus();
    status.textContent = text ? `Removed: ${text}` : "Removed an empty row.";
  }

  group.addEventListener("click", (event) => {
    const button = event.target.closest('button[name="add_topic"], button[name="remove_topic"]');
    if (!button) return;
    event.preventDefault();
    if (button.name === "add_topic") add(button.value);
    else remove(button.closest("[data-topic-row]"));
    group.dispatchEvent(new Event("change", { bubbles: true }));
  });
  group.addEventListener("input", showWhetherFull);
  if (group.hasAttribute("data-not-saved")) group.dispatchEvent(new Event("change", { bubbles: true }));
}
