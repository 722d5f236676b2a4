// The graph and the table point at each other, and the page hears what becomes of it. All of it works without.
"use strict";

(() => {
  const make = (name, className, ...content) => {
    const element = document.createElement(name);
    element.className = className;
    element.append(...content);
    return element;
  };

  // News: a request that is answered when this page is out of date.
  const listener = document.querySelector("[data-news]");
  const asks = document.getElementById("choose");
  const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

  const gone = (text) => {
    const place = document.getElementById("gone");
    if (!place) return;
    const onward = make("a", "", "See where it stands");
    onward.href = "/jury/";
    place.replaceChildren(text, " ", onward);
    place.hidden = false;
  };

  const listen = async () => {
    let lost = false;
    for (;;) {
      let news;
      try {
        const reply = await fetch(listener.dataset.news, { cache: "no-store" });
        if (!reply.ok) throw new Error(reply.statusText);
        news = await reply.json();
      } catch {
        if (!lost) say("The run does not answer: it has ended, or was broken off. Choices are kept; this page goes on when it does.");
        lost = true;
        await pause(2000);
        continue;
      }
      if (lost) { location.assign("/jury/"); return; }
      const progress = document.getElementById("progress");
      if (progress && progress.textContent !== news.progress) progress.textContent = news.progress;
      if (news.stale) {
        if (!asks) { if (listener.dataset.reload) location.reload(); else location.assign("/jury/"); return; }
        gone("This question is not open any more: it was answered elsewhere, or the run was stopped.");
        asks.querySelectorAll("button").forEach((button) => { button.disabled = true; });
        return;
      }
      if (news.over) return;
      await pause(150);
    }
  };

  const say = (text) => {
    const status = document.getElementById("status");
    status.classList.add("lost");
    status.textContent = text;
  };

  if (listener) listen();

  // The last page of a run: once it is here with all that it brings along, the run need not wait any more.
  const last = document.querySelector("[data-goodbye]");
  if (last) addEventListener("load", () => fetch(last.dataset.goodbye).catch(() => {}));
  if (!asks) return;

  // Graph, table and the card beside the graph.
  const svg = document.getElementById("graph");
  const card = document.getElementById("inspected");
  const number = document.getElementById("inspected-number");
  const rowOf = (claim) => document.getElementById(`row-${claim}`);
  const radioOf = (claim) => document.getElementById(`c${claim}`);
  const lines = [...svg.querySelectorAll("line")];
  const dots = new Map([...svg.querySelectorAll(".dot")].map((dot) => [dot.dataset.claim, dot]));
  let chosen = null;

  const copyOf = (row, selector) => {
    const from = row.querySelector(selector);
    return [...from.childNodes].map((node) => node.cloneNode(true));
  };

  const inspect = (claim) => {
    const row = rowOf(claim);
    number.textContent = String(Number(claim) + 1);
    const facts = make("dl", "inspected-facts");
    for (const [name, selector] of [["d", ".num"], ["Votes", ".votes"], ["Tags", ".tags"], ["Heaviest edges", ".links"]]) {
      facts.append(make("div", "", make("dt", "", name), make("dd", "", ...copyOf(row, selector))));
    }
    const star = row.querySelector(".star");
    const text = make("p", "inspected-text", row.querySelector(".claim-text").textContent);
    text.dir = "auto";
    card.replaceChildren(text, ...(star ? [star.cloneNode(true)] : []), facts);
    svg.classList.add("pointed");
    for (const line of lines) {
      line.classList.toggle("lit", line.dataset.from === claim || line.dataset.to === claim);
    }
    const near = new Set(lines.filter((line) => line.classList.contains("lit")).flatMap((line) => [line.dataset.from, line.dataset.to]));
    for (const [each, dot] of dots) dot.classList.toggle("lit", each === claim || near.has(each));
    for (const [each, dot] of dots) dot.classList.toggle("here", each === claim);
  };

  const rest = () => {
    if (chosen !== null) { inspect(chosen); return; }
    svg.classList.remove("pointed");
    [...lines, ...dots.values()].forEach((element) => element.classList.remove("lit", "here"));
  };

  const claimAt = (event) => {
    const at = event.target.closest("[data-claim]");
    return at ? at.dataset.claim : null;
  };

  for (const place of [svg, asks.querySelector("tbody")]) {
    place.addEventListener("pointerover", (event) => { const claim = claimAt(event); if (claim !== null) inspect(claim); });
    place.addEventListener("pointerleave", rest);
    place.addEventListener("click", (event) => {
      const claim = claimAt(event);
      const radio = claim === null ? null : radioOf(claim);
      if (!radio || event.target.closest("label, input")) return;
      radio.checked = true;
      radio.dispatchEvent(new Event("change", { bubbles: true }));
    });
  }

  const told = document.getElementById("chosen");
  const choose = (radio) => {
    const none = radio.value === "none";
    chosen = none ? null : radio.value;
    const button = asks.querySelector("button.main");
    button.textContent = none ? "Resolve none" : "Resolve it first";
    told.replaceChildren(none ? "Chosen: none." : `Chosen: claim ${Number(chosen) + 1}. `);
    if (!none) {
      const text = make("span", "chosen-text", rowOf(chosen).querySelector(".claim-text").textContent);
      text.dir = "auto";
      told.append(text);
    }
    asks.querySelectorAll("tr.chosen").forEach((row) => row.classList.remove("chosen"));
    if (!none) rowOf(chosen).classList.add("chosen");
    rest();
  };

  asks.addEventListener("change", (event) => { if (event.target.name === "claim") choose(event.target); });
  asks.addEventListener("submit", () => {
    asks.querySelector("button.main").disabled = true;
  });
  addEventListener("pageshow", () => {
    asks.querySelector("button.main").disabled = false;
    const kept = asks.querySelector("input[name=claim]:checked");
    if (kept) choose(kept);
  });
})();
