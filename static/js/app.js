/** The one entry: gives life to what pages mark by data attributes, and loads only the modules a page needs.
 *
 * Every page works without it. A module exports `activate(element)`; it is called once for each element, also for
 * those that come with a replaced part of the page (event "portal:replaced" on that part), in the order below. Where
 * one cannot be loaded or fails, the others work all the same.
 */

const WIDGETS = [
  ["body", () => import("./kept-pages.js")],
  ["[data-theme-toggle]", () => import("./theme.js")],
  ["details[data-menu]", () => import("./menu.js")],
  ["[data-messages]", () => import("./messages.js")],
  ["[data-row-of-links]", () => import("./row-of-links.js")],
  ["[data-error-summary]", () => import("./error-summary.js")],
  ["time[data-local-time]", () => import("./local-time.js")],
  ["form[data-filter]", () => import("./filter-as-you-type.js")],
  ["[data-limit][data-counter]", () => import("./counter.js")],
  ["[data-range-output]", () => import("./slider.js")],
  ["form[data-autosave]", () => import("./autosave.js")],
  ["form[data-live]", () => import("./live-results.js")],
  ["[data-copy-link]", () => import("./copy-link.js")],
  ["form[data-unsaved]", () => import("./unsaved.js")],
  ["[data-review-keys]", () => import("./keyboard.js")],
  ["[data-select-all]", () => import("./select-all.js")],
  ["input[data-suggest]", () => import("./suggest.js")],
  ["[data-topic-rows]", () => import("./topic-rows.js")],
  ["input[data-largest-bytes]", () => import("./file-size.js")],
  ["form[data-reading]", () => import("./reading.js")],
  ["body[data-own-zone]", () => import("./own-zone.js")],
  ["[data-job]", () => import("./job.js")],
];

const active = new WeakMap(); // element → the selectors it was activated for

async function activateWithin(root) {
  const wanted = [];
  for (const [selector, load] of WIDGETS) {
    const found = [...root.querySelectorAll(selector)].filter((element) => !active.get(element)?.has(selector));
    if (found.length === 0) continue;
    for (const element of found) {
      active.set(element, (active.get(element) ?? new Set()).add(selector));
    }
    wanted.push({ found, loading: load() });
  }
  const loaded = await Promise.allSettled(wanted.map(({ loading }) => loading));
  loaded.forEach(({ value, reason }, at) => {
    if (value) wanted[at].found.forEach((element) => attempt(() => value.activate(element)));
    else reportError(reason);
  });
}

function attempt(act) {
  try {
    act();
  } catch (error) {
    reportError(error);
  }
}

document.addEventListener("portal:replaced", (event) => activateWithin(event.target));
// Who drives a page from outside sees by this attribute that all of its parts answer.
activateWithin(document).then(() => document.documentElement.setAttribute("data-at-work", ""));
