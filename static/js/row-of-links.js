/** Moves a row of links that is wider than the window to the link of this page, and to each that the keys lead to. */

export function activate(row) {
  // A browser leaves a link where it is if any part of it shows.
  row.addEventListener("focusin", (event) => event.target.scrollIntoView({ block: "nearest", inline: "nearest" }));
  const current = row.querySelector("[aria-current]");
  if (!current) return;
  const [seen, link] = [row.getBoundingClientRect(), current.getBoundingClientRect()];
  const beyond = Math.max(link.right - seen.right, 0) || Math.min(link.left - seen.left, 0);
  // Half a window further, so that the links beside it show as well.
  if (beyond) row.scrollLeft += beyond + (Math.sign(beyond) * seen.width) / 2;
}
