/** Browsers keep the last pages in memory, for the button Back. Such a page is asked for anew where its reader has
 * signed out since, or somebody else has signed in; whoever is still there goes back to what they had typed. */

const READER = "portal-reader"; // whose the page is that was opened last in this browser; empty for visitors

export function activate(body) {
  const reader = body.dataset.reader ?? "";
  readerNow(reader);
  addEventListener("pageshow", (event) => {
    if (!event.persisted || reader === "" || readerNow() === reader) return;
    body.hidden = true; // until the answer is there
    location.reload();
  });
}

/** Who read last, after `opened` is noted as such if given; undefined where the browser keeps nothing for sites. */
function readerNow(opened) {
  try {
    if (opened !== undefined) localStorage.setItem(READER, opened);
    return localStorage.getItem(READER);
  } catch {
    return undefined;
  }
}
