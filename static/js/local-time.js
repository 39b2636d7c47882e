/** Adds the reader's own time to a <time> that is written in UTC: "20 Nov 2026, 21:55 UTC (22:55 your time)". */

const ownClock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const ownDayAndClock = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});

/** The reader's time of `moment`, with the day where it is another one than in UTC; empty where both are the same. */
export function inOwnTime(moment) {
  if (moment.getTimezoneOffset() === 0) return "";
  const sameDay = moment.getDate() === moment.getUTCDate();
  return `${(sameDay ? ownClock : ownDayAndClock).format(moment)} your time`;
}

export function activate(time) {
  const moment = new Date(time.dateTime);
  const own = Number.isNaN(moment.getTime()) ? "" : inOwnTime(moment);
  if (!own) return;
  const note = document.createElement("span");
  note.className = "local-time";
  note.textContent = ` (${own})`;
  time.after(note);
}
