/** Whether a form holds something else than the page came with: typed, or put back by the browser. */

function changed(control) {
  if (control.matches("input[type=hidden], input[type=submit], button, fieldset, output")) return false;
  if (control.matches("input[type=checkbox], input[type=radio]")) return control.checked !== control.defaultChecked;
  if (control.matches("select")) {
    const options = [...control.options];
    if (control.multiple || options.some((option) => option.defaultSelected)) {
      return options.some((option) => option.selected !== option.defaultSelected);
    }
    return control.selectedIndex > 0;
  }
  if (control.matches("input[type=file]")) return control.files.length > 0;
  return control.value !== control.defaultValue;
}

export function differsFromPage(form) {
  return [...form.elements].some(changed);
}
