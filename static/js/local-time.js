/** Adds the reader's own time to a <time>: "20 Nov 2026, 21:55 UTC (22:55 your time)". */

const ownClock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const ownDayAndClock = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});

/** The reader's time of `moment`, which is written in `zone` (empty: UTC), with the day where it is another one than
    in UTC or where the zone is another; empty where the reader's zone is the one that is written. */
function inOwnTime(moment, zone = "") {
  if (zone) {
    if (zone === Intl.DateTimeFormat().resolvedOptions().timeZone) return "";
    return `${ownDayAndClock.format(moment)} your time`;
  }
  if (moment.getTimezoneOffset() === 0) return "";
  const sameDay = moment.getDate() === moment.getUTCDate();
  return `${(sameDay ? ownClock : ownDayAndClock).format(moment)} your time`;
}

export function activate(time) {
  const moment = new Date(time.dateTime);
  const own = Number.isNaN(moment.getTime()) ? "" : inOwnTime(moment, time.dataset.zone);
  if (!own) return;
  const note = document.createElement("span");
  note.className = "local-time";
  note.textContent = `(${own})`;
  time.after(" ", note);
}
