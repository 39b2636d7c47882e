/**
 * Keeps a page that waits for a job up to date while it runs, and shows the whole page anew when it has ended: at its own
 * address again, which may be that of what the job has prepared.
 */

const EVERY = 1000; // milliseconds

export function activate(element) {
  const address = new URL(window.location.href);
  if (!address.searchParams.has("live")) {
    // The server then leaves out that the page asks again by itself.
    address.searchParams.set("live", "1");
    window.location.replace(address);
    return;
  }
  const bar = element.querySelector("progress");
  const count = element.querySelector("[data-job-count]");
  const doing = element.querySelector("[data-job-doing]");
  const shown = element.querySelector("label").textContent;

  function showAnew() {
    address.searchParams.delete("live");
    window.location.replace(address);
  }

  async function look() {
    let job = null;
    let response = null;
    try {
      response = await fetch(element.dataset.job, { headers: { Accept: "application/json" } });
      if (response.ok && !response.redirected) job = await response.json();
    } catch {
      response = null; // no connection, or an answer that broke off
    }
    if (!response || response.status === 429 || response.status >= 500) {
      doing.textContent = "How far it is cannot be asked just now; this page tries again.";
      window.setTimeout(look, 5 * EVERY);
      return;
    }
    if (!job) {
      showAnew(); // one who is signed out, or may not see it any more, is told so there
      return;
    }
    if (job.state === "running" && shown.startsWith("Waiting")) {
      window.location.reload();
      return;
    }
    if (!["waiting", "running"].includes(job.state)) {
      showAnew();
      return;
    }
    if (job.total) {
      bar.max = job.total;
      bar.value = job.done;
      count.textContent = `${job.done.toLocaleString("en")} of ${job.total.toLocaleString("en")}`;
    } else if (job.done) {
      count.textContent = `${job.done.toLocaleString("en")} done`;
    }
    doing.textContent = job.doing;
    window.setTimeout(look, EVERY);
  }

  window.setTimeout(look, EVERY);
}
