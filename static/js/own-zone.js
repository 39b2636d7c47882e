/** Tells the server the reader's time zone, in which it words sentences and mails: by a cookie, since the page may ask
 * for anything next. Only on pages of accounts: elsewhere a new cookie would drop the page that Back leads to. */

const YEAR = 31_536_000; // seconds

export function activate() {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  if (!timeZone || document.cookie.split("; ").includes(`zone=${timeZone}`)) return;
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `zone=${timeZone}; Path=/; Max-Age=${YEAR}; SameSite=Lax${secure}`;
}
