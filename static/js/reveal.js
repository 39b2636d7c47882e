/** Links to a part that is folded away, within [data-reveal]: unfold what holds it, also where a browser would not. */

export function activate(area) {
  area.addEventListener("click", (event) => {
    const href = event.target.closest("a")?.getAttribute("href");
    const part = href?.startsWith("#") && document.getElementById(href.slice(1));
    for (let around = part?.closest?.("details"); around; around = around.parentElement.closest("details")) {
      around.open = true;
    }
  });
}
