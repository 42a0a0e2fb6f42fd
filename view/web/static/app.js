// The page works without this: it adds live changes, keys and copying.
(() => {
  "use strict";
  const byId = (id) => document.getElementById(id);
  const typing = () => /^(input|textarea|select)$/i.test(document.activeElement?.tagName ?? "") || document.activeElement?.isContentEditable;

  // Live changes: the server sends parts of the page, which are morphed into it, so that focus, what is typed
  // and what is unfolded stay.
  const connection = byId("connection");
  let lost = null;
  const say = (text) => {
    if (!connection) return;
    connection.hidden = !text;
    if (connection.textContent !== text) connection.textContent = text;
  };
  const nearEnd = () => window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 80;

  function takePart(html) {
    const part = document.createElement("template");
    part.innerHTML = html;
    const grows = !nearEnd(), before = document.documentElement.scrollHeight;
    for (const next of [...part.content.children]) {
      const old = byId(next.id);
      if (!old) continue;
      const follow = [...old.querySelectorAll(".output")].some((o) => o.scrollTop + o.clientHeight >= o.scrollHeight - 24);
      Idiomorph.morph(old, next, {
        ignoreActiveValue: true,
        callbacks: {
          beforeAttributeUpdated: (name, node) => !(name === "open" && node.tagName === "DETAILS") && !(name === "value" && node.tagName === "TEXTAREA"),
        },
      });
      if (follow) for (const o of byId(next.id).querySelectorAll(".output")) o.scrollTop = o.scrollHeight;
    }
    prepare();
    if (grows && document.body.dataset.live?.startsWith("/s/") && document.documentElement.scrollHeight > before + 8) showNewBelow();
  }

  function listen() {
    const address = document.body.dataset.live;
    if (!address) return;
    const source = new EventSource(address);
    source.addEventListener("part", (e) => takePart(e.data));
    source.addEventListener("open", () => { lost = null; say(""); });
    source.addEventListener("reload", () => location.reload());
    source.addEventListener("error", () => {
      lost ??= new Date();
      say(`connection lost since ${lost.toLocaleTimeString()}, trying again`);
      if (source.readyState === EventSource.CLOSED) setTimeout(listen, 2000);
    });
    addEventListener("pagehide", () => source.close(), { once: true });
    addEventListener("pageshow", (e) => { if (e.persisted) location.reload(); });
  }

  function showNewBelow() {
    if (document.querySelector(".new-below")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "new-below";
    button.textContent = "new below ↓";
    button.addEventListener("click", () => {
      window.scrollTo({ top: document.documentElement.scrollHeight });
      button.remove();
    });
    document.body.append(button);
  }
  addEventListener("scroll", () => { if (nearEnd()) document.querySelector(".new-below")?.remove(); }, { passive: true });

  // Copying
  function prepare() {
    if (!navigator.clipboard) return;
    for (const b of document.querySelectorAll("button[data-copy][hidden]")) b.hidden = false;
  }
  document.addEventListener("click", async (e) => {
    const copy = e.target.closest("button[data-copy]");
    if (copy) {
      try {
        await navigator.clipboard.writeText(copy.dataset.copy);
        copy.textContent = "Copied";
        setTimeout(() => { copy.textContent = "Copy"; }, 1500);
      } catch { copy.hidden = true; }
    }
    if (e.target.closest("button[data-keys]")) byId("keys")?.showModal();
  });

  // Keys
  const rows = () => [...document.querySelectorAll("[data-row]")].filter((r) => r.offsetParent);
  function move(by) {
    const all = rows();
    if (!all.length) return;
    const at = all.findIndex((r) => r.contains(document.activeElement) || r.classList.contains("here"));
    const row = all[Math.min(all.length - 1, Math.max(0, at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by))];
    for (const r of all) r.classList.toggle("here", r === row);
    const target = row.querySelector("a, button, textarea");
    (target ?? row).focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  }
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === "Escape" && typing()) { document.activeElement.blur(); return; }
    if (typing() || byId("keys")?.open) return;
    const act = {
      j: () => move(1), k: () => move(-1),
      u: () => { location.href = document.querySelector("[data-key=up]")?.href ?? "/"; },
      "/": () => document.querySelector("[data-key=search]")?.focus(),
      a: () => document.querySelector("[data-answer] textarea, [data-answer] button, #tell")?.focus(),
      "?": () => byId("keys")?.showModal(),
    }[e.key];
    if (!act) return;
    e.preventDefault();
    act();
  });

  // Moments are relative: they are said anew as time passes.
  const units = [["day", 86400], ["hour", 3600], ["minute", 60]];
  function tellTimes() {
    for (const t of document.querySelectorAll("time[datetime]")) {
      if (!/ago$|^just now$/.test(t.textContent)) continue;
      const s = (Date.now() - new Date(t.dateTime)) / 1000;
      let text = "just now";
      for (const [unit, size] of units) {
        const n = unit === "day" ? Math.floor(s / size) : Math.round(s / size);
        if (s >= 45 && n >= 1) { text = `${n} ${unit}${n === 1 ? "" : "s"} ago`; break; }
      }
      if (t.textContent !== text) t.textContent = text;
    }
  }
  setInterval(tellTimes, 20000);

  for (const s of document.querySelectorAll(".filter select")) s.addEventListener("change", () => s.form.requestSubmit());
  for (const o of document.querySelectorAll(".output")) o.scrollTop = o.scrollHeight;
  prepare();
  listen();
})();
