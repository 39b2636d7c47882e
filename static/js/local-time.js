/** Puts the text of a <time> into the reader's zone. What was written, in another zone, goes into its title and onto
    paper; beside a deadline it stays in view. */

const dayAndClock = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});

function beside(time, text) {
  const note = document.createElement("span");
  note.className = "local-time";
  note.textContent = `(${text.replace(/ \((.*)\)$/, " $1")})`; // no brackets within brackets
  time.after(" ", note);
}

export function activate(time) {
  const moment = new Date(time.dateTime);
  if (Number.isNaN(moment.getTime())) return;
  const written = time.textContent;
  const own = dayAndClock.format(moment);
  time.textContent = own;
  if (time.dataset.localTime === "deadline" && !written.startsWith(own)) beside(time, written);
  else time.title = written;
}
