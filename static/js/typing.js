/** Input as one means it: letters that an input method still puts together, as for Chinese, are none yet. */

/** Calls `act` after each input into `element`, or a field within, and once a composition has ended. */
export function onTyped(element, act) {
  element.addEventListener("input", (event) => {
    if (!event.isComposing) act();
  });
  element.addEventListener("compositionend", act);
}
