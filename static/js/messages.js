/** What a page says where it opened at a place further down stays in view (states.css) until that place is passed. */

export function activate(messages) {
  const place = document.querySelector(":target");
  if (!place || messages.childElementCount === 0) return;
  new IntersectionObserver(([entry], observer) => {
    if (entry.isIntersecting) return;
    messages.setAttribute("data-passed", "");
    observer.disconnect();
  }).observe(place);
}
