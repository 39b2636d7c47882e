/** Puts the text of a <time> into the reader's zone. What was written, in another zone, goes into its title and onto
    paper; beside a deadline it stays in view, and a clock of a table gets the reader's own time beside it. */

const dayAndClock = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});
const clock = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

function beside(time, text) {
  const note = document.createElement("span");
  note.className = "local-time";
  note.textContent = `(${text.replace(/ \((.*)\)$/, " $1")})`; // no brackets within brackets
  time.after(" ", note);
}

export function activate(time) {
  const moment = new Date(time.dateTime);
  if (Number.isNaN(moment.getTime())) return;
  const kind = time.dataset.localTime;
  if (kind === "clock") {
    const { zone } = time.dataset;
    const isOwn = zone ? zone === Intl.DateTimeFormat().resolvedOptions().timeZone : moment.getTimezoneOffset() === 0;
    if (!isOwn) beside(time, `${clock.format(moment)} your time`);
    return;
  }
  const written = time.textContent;
  const own = dayAndClock.format(moment);
  time.textContent = own;
  if (kind === "deadline" && !written.startsWith(own)) beside(time, written);
  else time.title = written;
}
