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

  async function look() {
    let job;
    try {
      const response = await fetch(element.dataset.job, { headers: { Accept: "application/json" } });
      if (!response.ok) throw new Error(response.statusText);
      job = await response.json();
    } catch {
      window.setTimeout(look, 5 * EVERY);
      return;
    }
    if (job.state === "running" && shown.startsWith("Waiting")) {
      window.location.reload();
      return;
    }
    if (!["waiting", "running"].includes(job.state)) {
      address.searchParams.delete("live");
      window.location.replace(address);
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
