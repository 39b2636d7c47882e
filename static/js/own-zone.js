/** Chooses the reader's own time zone in a <select data-own-zone>, where the page could only guess one. */

export function activate(select) {
  const own = [...select.options].find((option) => option.value === Intl.DateTimeFormat().resolvedOptions().timeZone);
  // What the browser put back when one returned was chosen, and stays.
  if (!own || !select.options[select.selectedIndex]?.defaultSelected) return;
  for (const option of select.options) option.defaultSelected = option === own;
  select.value = own.value;
}
