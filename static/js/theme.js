/** The theme button: light or dark. The choice is a cookie, so that the server can draw the next page right at once. */

const COOKIE = "theme";
const YEAR = 31_536_000; // seconds
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

function current() {
  const chosen = document.documentElement.dataset.bsTheme;
  return chosen ?? (systemIsDark.matches ? "dark" : "light");
}

/** Go over to `theme`. What the system says anyway is not stored: the page then follows the system again. */
function choose(theme) {
  const followsSystem = theme === (systemIsDark.matches ? "dark" : "light");
  const secure = location.protocol === "https:" ? "; Secure" : "";
  if (followsSystem) {
    delete document.documentElement.dataset.bsTheme;
  } else {
    document.documentElement.dataset.bsTheme = theme;
  }
  const value = followsSystem ? "" : theme;
  document.cookie = `${COOKIE}=${value}; Path=/; Max-Age=${followsSystem ? 0 : YEAR}; SameSite=Lax${secure}`;
}

export function activate(button) {
  const label = () => {
    button.textContent = current() === "dark" ? "Light theme" : "Dark theme";
  };
  button.addEventListener("click", () => {
    choose(current() === "dark" ? "light" : "dark");
    label();
  });
  systemIsDark.addEventListener("change", label);
  // A page that the browser kept as it was may show what was chosen before, on another page.
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    const kept = document.cookie.match(/(?:^|; )theme=(light|dark)(?:;|$)/u)?.[1];
    if (kept) document.documentElement.dataset.bsTheme = kept;
    else delete document.documentElement.dataset.bsTheme;
    label();
  });
  button.classList.add("script-ready");
  label();
}
