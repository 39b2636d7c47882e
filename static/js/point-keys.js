/** Digits for the scorecard: a number sets the points of the criterion that has the focus, or else of the first one
 * without points, and goes on to the next. A criterion is a fieldset with radio buttons within [data-points].
 */

export const POINT_KEYS = [["1 – 5", "Points for the next criterion"]];

const radiosOf = (criterion) => [...criterion.querySelectorAll("input[type=radio]")];
const isSet = (criterion) => radiosOf(criterion).some((radio) => radio.checked && radio.value !== "");

/** Whether `part` holds a scorecard to fill in. */
export const hasPoints = (part) => part.querySelector("[data-points]") !== null;

/** Set points by `key`; whether it was taken. */
export function setPoints(part, key) {
  if (!/^[1-9]$/u.test(key)) return false;
  const criteria = [...part.querySelectorAll("[data-points] fieldset.criterion")];
  const focused = criteria.findIndex((criterion) => criterion.contains(document.activeElement));
  const at = focused >= 0 ? focused : criteria.findIndex((criterion) => !isSet(criterion));
  const chosen = at >= 0 && radiosOf(criteria[at]).find((radio) => radio.value === key);
  if (!chosen) return false;
  chosen.checked = true;
  chosen.dispatchEvent(new Event("change", { bubbles: true }));
  const next = criteria[at + 1] ?? criteria[at];
  radiosOf(next)
    .find((radio) => radio.checked)
    .focus();
  return true;
}
