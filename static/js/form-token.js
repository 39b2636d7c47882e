/** A fresh form token, for a form that outlived its session: reads the page again, as the reader is now. */

/** Puts the current token into `form`; false where the page now leads to sign-in, or cannot be read. */
export async function renewToken(form) {
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" }, credentials: "same-origin" });
    if (!answer.ok || new URL(answer.url).pathname !== location.pathname) return false;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const token = page.querySelector("main input[name=csrf_token]")?.value;
    if (!token) return false;
    form.elements.csrf_token.value = token;
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false; // no connection
    throw error;
  }
}
