/** The one entry: gives life to what is marked by data attributes. Every page works without it. */

import { activate as theme } from "./theme.js";

const WIDGETS = [["[data-theme-toggle]", theme]];

for (const [selector, activate] of WIDGETS) {
  for (const element of document.querySelectorAll(selector)) {
    activate(element);
  }
}
