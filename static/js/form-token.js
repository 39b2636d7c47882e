/** A fresh form token, for a form that outlived its session: reads the page again, as the reader is now. */

const LONGEST = 30_000; // ms

/** Puts the current token into `form`. Says "renewed", "away" where the page now leads to sign-in or cannot be read, or
 * "another" where somebody else is signed in by now: what was typed here is not theirs. */
export async function renewToken(form) {
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" }, credentials: "same-origin", signal: AbortSignal.timeout(LONGEST) });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const reader = page.body.dataset.reader;
    if (reader && reader !== document.body.dataset.reader) return "another";
    if (!answer.ok || new URL(answer.url).pathname !== location.pathname) return "away";
    const token = page.querySelector("main input[name=csrf_token]")?.value;
    if (!token) return "away";
    form.elements.csrf_token.value = token;
    return "renewed";
  } catch (error) {
    if (error instanceof TypeError || error.name === "TimeoutError") return "away"; // no connection, or no answer
    throw error;
  }
}
