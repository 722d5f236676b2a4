// Digits choose, and a reload loses no words.
"use strict";

(() => {
  const form = document.getElementById("answer");
  const store = {
    get: (key) => { try { return sessionStorage.getItem(key); } catch { return null; } },
    set: (key, value) => { try { sessionStorage.setItem(key, value); } catch { /* nothing is kept */ } },
    drop: (key) => { try { sessionStorage.removeItem(key); } catch { /* nothing was kept */ } },
  };

  // What was sent and is saved now needs no draft any more.
  const SENT = "venire-sent";
  const told = document.getElementById("status").dataset.done;
  const sent = store.get(SENT);
  if (sent && told.startsWith("Saved")) {
    store.drop(`venire-draft:${sent}`);
    store.drop(SENT);
  }
  if (!form) return;

  const item = form.dataset.item;
  const draftKey = `venire-draft:${item}`;

  // What is filled in and not sent yet.
  const fields = () => [...form.elements].filter((each) => each.name && each.type !== "hidden");
  const keep = () => {
    const draft = {};
    for (const each of fields()) {
      if (each.type !== "radio" || each.checked) draft[each.name] = each.value;
    }
    store.set(draftKey, JSON.stringify(draft));
  };
  const draft = store.get(draftKey);
  if (draft && form.dataset.filled === undefined) {
    const values = JSON.parse(draft);
    for (const each of fields()) {
      if (!(each.name in values)) continue;
      if (each.type === "radio") each.checked = each.value === values[each.name];
      else each.value = values[each.name];
    }
  }
  form.addEventListener("input", keep);

  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) { event.preventDefault(); return; }
    form.dataset.sent = "yes";
    keep();
    store.set(SENT, item);
  });
  addEventListener("pageshow", () => { delete form.dataset.sent; });

  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit();
    }
  });

  const questions = [...form.querySelectorAll("fieldset.question")];
  const keysOn = document.getElementById("keys-on");
  document.addEventListener("keydown", (event) => {
    if (!keysOn.checked || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    if (!/^[0-9-]$/.test(event.key) || event.target.matches("textarea, input:not([type=radio], [type=checkbox])")) return;
    const here = event.target.closest("fieldset.question");
    const open = questions.find((each) => !each.querySelector(":checked"));
    const question = here ?? open ?? questions[0];
    const choice = question?.querySelector(`input[data-digit="${event.key}"]`);
    if (!choice) return;
    event.preventDefault();
    choice.focus();
    choice.click();
    const next = questions[questions.indexOf(question) + 1];
    if (next) (next.querySelector(":checked") ?? next.querySelector("input")).focus();
  });

  // A fault is where the eye and the keyboard should be.
  const faulty = form.querySelector("[aria-invalid]");
  if (faulty) (faulty.matches("input") ? faulty : faulty.querySelector("input")).focus();
})();
