/** Puts what is wrong with a field beside it, as the server would have written it, and takes away what stood there. */

export function showErrors(control, messages) {
  const place = control.id && document.getElementById(`${control.id}-error`);
  if (!place) return;
  place.replaceChildren(
    ...messages.map((message) => {
      const line = document.createElement("p");
      line.className = "field-error";
      line.textContent = message;
      return line;
    }),
  );
  const described = new Set((control.getAttribute("aria-describedby") ?? "").split(" ").filter(Boolean));
  control.closest(".field")?.classList.toggle("has-error", messages.length > 0);
  if (messages.length > 0) {
    control.setAttribute("aria-invalid", "true");
    described.add(place.id);
  } else {
    control.removeAttribute("aria-invalid");
    described.delete(place.id);
  }
  if (described.size > 0) control.setAttribute("aria-describedby", [...described].join(" "));
  else control.removeAttribute("aria-describedby");
}
