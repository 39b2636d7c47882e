/** Moves a row of links that is wider than the window to the link of this page, and to each that the keys lead to. */

export function activate(row) {
  // A browser leaves a link where it is if any part of it shows.
  row.addEventListener("focusin", (event) => event.target.scrollIntoView({ block: "nearest", inline: "nearest" }));
  const current = row.querySelector("[aria-current]");
  if (!current) return;
  const [seen, link] = [row.getBoundingClientRect(), current.getBoundingClientRect()];
  const fade = parseFloat(getComputedStyle(row).scrollPaddingInlineEnd) || 0; // at its end links are pale
  const beyond = Math.max(link.right - (seen.right - fade), 0) || Math.min(link.left - seen.left, 0);
  // As far again, at most half a window, so that links beside it show as well.
  if (beyond) row.scrollLeft += beyond + Math.sign(beyond) * Math.min(Math.abs(beyond), seen.width / 2);
}
