// Single keys, what was done told to screen readers. Every page works without it.
"use strict";

(() => {
  const SWITCH = "venire-keys";
  const keysOn = document.getElementById("keys-on");

  const remembered = (store, key) => {
    try { return store.getItem(key); } catch { return null; }
  };
  const remember = (store, key, value) => {
    try { store.setItem(key, value); } catch { /* a browser that keeps nothing */ }
  };

  keysOn.checked = remembered(localStorage, SWITCH) !== "off";
  keysOn.addEventListener("change", () => remember(localStorage, SWITCH, keysOn.checked ? "on" : "off"));

  const typing = (element) =>
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement ||
    (element instanceof HTMLInputElement && !["radio", "checkbox", "button", "submit"].includes(element.type));

  let back = null; // where the focus was before a list was opened by its key
  document.addEventListener("keydown", (event) => {
    if (!keysOn.checked || event.defaultPrevented || event.isComposing) return;
    if (event.ctrlKey || event.altKey || event.metaKey || typing(event.target)) return;
    // Enter on a link, button or field is the browser's own.
    if (event.key === "Enter" && event.target.closest("a, button, input, summary")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const wanted = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (!wanted || wanted.disabled) return;
    event.preventDefault();
    if (typing(wanted)) { wanted.focus(); return; }
    if (wanted instanceof HTMLInputElement) wanted.focus();
    const from = document.activeElement;
    wanted.click();
    if (!wanted.matches("summary")) return;
    if (wanted.parentElement.open) {
      back = from;
      wanted.focus();
      wanted.parentElement.scrollIntoView({ block: "nearest" });
    } else if (back?.isConnected) {
      if (back === document.body) wanted.blur();
      else back.focus();
    }
  });

  // A live region speaks of what changes: what stands in it from the start is put there once more.
  const status = document.getElementById("status");
  const told = status.dataset.done;
  if (told) {
    status.textContent = "";
    setTimeout(() => { status.textContent = told; }, 100);
    const address = new URL(location.href);
    address.searchParams.delete("done");
    history.replaceState(null, "", address);
  }
})();
