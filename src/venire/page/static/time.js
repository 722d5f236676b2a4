// How long this page is in front of somebody, told to the server while it is: see page/times.py.
// What is not told yet is kept by the browser, and told when such a page is opened again.
"use strict";

(() => {
  const form = document.querySelector("form[data-time]");
  if (!form) return;
  const MARK = "venire-visit:";
  const TELL_EVERY = 5; // seconds
  const KEEP_DAYS = 30;
  const csrf = document.querySelector('meta[name="csrf-token"]').content;
  const visit = form.elements.visit.value;

  // A browser that keeps nothing tells what it can.
  const keep = (name, value) => { try { localStorage.setItem(MARK + name, JSON.stringify(value)); } catch { /* not kept */ } };
  const drop = (name) => { try { localStorage.removeItem(MARK + name); } catch { /* was not kept */ } };
  const kept = () => {
    try {
      return Object.keys(localStorage).filter((key) => key.startsWith(MARK)).map((key) => [key.slice(MARK.length), JSON.parse(localStorage.getItem(key))]);
    } catch { return []; }
  };

  let before = 0;
  let since = document.visibilityState === "visible" ? performance.now() : null;
  const seconds = () => before + (since === null ? 0 : (performance.now() - since) / 1000);
  const stop = () => { before = seconds(); since = null; };
  const goOn = () => { if (document.visibilityState === "visible") since ??= performance.now(); };

  const now = () => ({
    url: form.dataset.time,
    at: Date.now(),
    fields: {
      times: form.dataset.times, what: form.dataset.what, annotator: form.elements.annotator.value,
      visit, seconds: seconds().toFixed(2),
    },
  });
  const tell = async ({ url, fields }, keepalive) => {
    const reply = await fetch(url, { method: "POST", body: new URLSearchParams({ csrf, ...fields }), keepalive });
    return reply.ok;
  };

  let told = 0;
  const tellNow = async (keepalive) => {
    const entry = now();
    if (Number(entry.fields.seconds) <= told) return;
    keep(visit, entry);
    try { if (await tell(entry, keepalive)) told = Number(entry.fields.seconds); } catch { /* later */ }
  };

  setInterval(() => {
    if (since === null) return;
    keep(visit, now());
    if (seconds() - told >= TELL_EVERY) tellNow(false);
  }, 1000);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") { goOn(); return; }
    stop();
    tellNow(true);
  });
  let sent = false; // the form says the time itself
  addEventListener("pagehide", () => { stop(); if (!sent) tellNow(true); });
  addEventListener("pageshow", () => { sent = false; goOn(); });
  form.addEventListener("submit", () => {
    stop();
    sent = true;
    form.elements.seconds.value = seconds().toFixed(2);
    keep(visit, now());
  });

  for (const [name, entry] of kept()) {
    if (Date.now() - entry.at > KEEP_DAYS * 86400000) { drop(name); continue; }
    const isOurs = ["times", "annotator"].every((each) => entry.fields[each] === now().fields[each]);
    if (name === visit || !isOurs) continue;
    tell(entry, false).then((taken) => { if (taken) drop(name); }, () => {});
  }
})();
