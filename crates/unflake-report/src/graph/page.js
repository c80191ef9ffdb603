"use strict";
// Zoom, keys, and the panel. Texts of the test go into text nodes only, never through an HTML parser.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const graph = document.getElementById("graph");
  const view = document.getElementById("view");
  const overview = document.getElementById("overview");
  const details = document.getElementById("details");
  const nodes = [...graph.querySelectorAll("[data-node]")];
  const lines = [...graph.querySelectorAll("[data-line]")];
  const coming = data.nodes.map(() => []);
  const leaving = data.nodes.map(() => []);
  data.lines.forEach((line, index) => {
    leaving[line.from].push(index);
    coming[line.to].push(index);
  });

  // ---- Zoom and move.

  const width = Number(view.dataset.width);
  const height = Number(view.dataset.height);
  const smallest = 0.02;
  const largest = 4;
  const readable = 0.3;
  const look = { x: 0, y: 0, scale: 1 };
  let touched = false;

  const apply = () => {
    view.setAttribute("transform", `translate(${look.x} ${look.y}) scale(${look.scale})`);
  };
  const stage = () => {
    const box = graph.getBoundingClientRect();
    return { left: box.left, top: box.top, width: box.width || 800, height: box.height || 600 };
  };
  const zoom = (factor, x, y) => {
    const scale = Math.min(largest, Math.max(smallest, look.scale * factor));
    look.x = x - (x - look.x) * (scale / look.scale);
    look.y = y - (y - look.y) * (scale / look.scale);
    look.scale = scale;
    touched = true;
    apply();
  };
  const zoomMiddle = (factor) => {
    const box = stage();
    zoom(factor, box.width / 2, box.height / 2);
  };
  const showAll = () => {
    const box = stage();
    look.scale = Math.max(smallest, Math.min(1.25, box.width / width, box.height / height));
    look.x = (box.width - width * look.scale) / 2;
    look.y = Math.max(0, (box.height - height * look.scale) / 2);
    apply();
  };
  const centre = (index) => {
    const place = /translate\(([-\d.]+) ([-\d.]+)\)/.exec(nodes[index].getAttribute("transform"));
    return { x: Number(place[1]), y: Number(place[2]) };
  };
  const realSize = (scale) => {
    const box = stage();
    const from = nodes.length ? centre(chosen.node ?? 0) : { x: 0, y: 0 };
    look.scale = scale;
    look.x = box.width / 2 - from.x * scale;
    look.y = (chosen.node === null ? 40 : box.height / 2) - from.y * scale;
    apply();
  };
  // Everything if it can be read, else the top.
  const begin = () => {
    showAll();
    if (look.scale < readable) realSize(readable);
  };
  const reveal = (index) => {
    const box = stage();
    const at = centre(index);
    const x = at.x * look.scale + look.x;
    const y = at.y * look.scale + look.y;
    if (x < 40 || x > box.width - 40) look.x += box.width / 2 - x;
    if (y < 40 || y > box.height - 40) look.y += box.height / 2 - y;
    apply();
  };

  graph.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = stage();
    const pixels = event.deltaY * [1, 16, 400][event.deltaMode];
    zoom(Math.exp(-Math.max(-300, Math.min(300, pixels)) * 0.002), event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });

  const pointers = new Map();
  let dragged = false;
  graph.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return;
    if (pointers.size === 0) dragged = false;
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY, startX: event.clientX, startY: event.clientY });
  });
  graph.addEventListener("pointermove", (event) => {
    const pointer = pointers.get(event.pointerId);
    if (!pointer) return;
    const far = Math.hypot(event.clientX - pointer.startX, event.clientY - pointer.startY);
    if (!dragged && far < 4) return;
    if (!dragged) {
      dragged = true;
      touched = true;
      graph.classList.add("drag");
      graph.setPointerCapture(event.pointerId);
    }
    const other = [...pointers].find(([id]) => id !== event.pointerId);
    if (other) {
      const [, still] = other;
      const box = stage();
      const before = Math.hypot(pointer.x - still.x, pointer.y - still.y);
      const after = Math.hypot(event.clientX - still.x, event.clientY - still.y);
      if (before > 0) zoom(after / before, still.x - box.left, still.y - box.top);
    } else {
      look.x += event.clientX - pointer.x;
      look.y += event.clientY - pointer.y;
      apply();
    }
    pointer.x = event.clientX;
    pointer.y = event.clientY;
  });
  const release = (event) => {
    pointers.delete(event.pointerId);
    if (pointers.size === 0) graph.classList.remove("drag");
  };
  graph.addEventListener("pointerup", release);
  graph.addEventListener("pointercancel", release);
  // A pointer may be let go outside while nothing has caught it yet.
  window.addEventListener("pointerup", release);

  const buttons = document.getElementById("buttons");
  buttons.hidden = false;
  buttons.addEventListener("click", (event) => {
    const what = event.target.closest("button")?.dataset.do;
    if (what) act[what]();
  });
  const act = {
    in: () => zoomMiddle(1.4),
    out: () => zoomMiddle(1 / 1.4),
    all: showAll,
    real: () => realSize(1),
  };

  // ---- Choosing.

  const chosen = { node: null, line: null };

  // All that lies on a way through one of the nodes: upwards and downwards.
  const way = (startNodes, startLines) => {
    const onWay = { nodes: new Set(startNodes), lines: new Set(startLines) };
    const walk = (from, next, end) => {
      const seen = new Set();
      const open = [...from];
      while (open.length) {
        const node = open.pop();
        if (seen.has(node)) continue;
        seen.add(node);
        onWay.nodes.add(node);
        for (const line of next[node]) {
          onWay.lines.add(line);
          open.push(data.lines[line][end]);
        }
      }
    };
    walk([...startNodes, ...startLines.map((line) => data.lines[line].from)], coming, "from");
    walk([...startNodes, ...startLines.map((line) => data.lines[line].to)], leaving, "to");
    return onWay;
  };
  const mark = (startNodes, startLines) => {
    const any = startNodes.length + startLines.length > 0;
    const onWay = way(startNodes, startLines);
    graph.classList.toggle("choosing", any);
    nodes.forEach((node, index) => {
      node.classList.toggle("way", onWay.nodes.has(index));
      node.classList.toggle("chosen", startNodes.includes(index));
    });
    lines.forEach((line, index) => {
      line.classList.toggle("way", onWay.lines.has(index));
      line.classList.toggle("chosen", startLines.includes(index));
    });
  };
  const leave = () => {
    const wasInPanel = details.contains(document.activeElement);
    chosen.node = null;
    chosen.line = null;
    mark([], []);
    details.hidden = true;
    overview.hidden = false;
    if (wasInPanel) graph.querySelector('[tabindex="0"]')?.focus({ preventScroll: true });
  };
  const show = (...content) => {
    const wasInPanel = details.contains(document.activeElement);
    const back = link("← overview", leave);
    details.replaceChildren(back, ...content);
    details.hidden = false;
    overview.hidden = true;
    details.parentElement.scrollTop = 0;
    // Whoever came here by a key in the panel goes on from its top.
    if (wasInPanel) back.focus({ preventScroll: true });
  };
  const makeTabStop = (element) => {
    for (const other of graph.querySelectorAll('[tabindex="0"]')) other.setAttribute("tabindex", "-1");
    element.setAttribute("tabindex", "0");
  };
  const chooseNode = (index) => {
    chosen.node = index;
    chosen.line = null;
    makeTabStop(nodes[index]);
    mark([index], []);
    show(...nodePanel(index));
  };
  const chooseLine = (index) => {
    chosen.node = null;
    chosen.line = index;
    makeTabStop(lines[index]);
    mark([], [index]);
    show(...linePanel(index));
  };
  const chooseFailure = (index) => {
    const ends = new Set();
    data.nodes.forEach((node, place) => {
      if (node.failure === index) ends.add(place);
    });
    for (const line of data.lines) {
      if (line.orders.some((order) => order.failure === index)) ends.add(line.to);
    }
    chosen.node = null;
    chosen.line = null;
    mark([...ends], []);
  };

  graph.addEventListener("click", (event) => {
    if (dragged) return;
    const part = event.target.closest("[data-node], [data-line]");
    if (!part) leave();
    else if (part.dataset.node !== undefined) chooseNode(Number(part.dataset.node));
    else chooseLine(Number(part.dataset.line));
  });
  for (const button of document.querySelectorAll("[data-failure]")) {
    button.hidden = false;
    button.addEventListener("click", () => chooseFailure(Number(button.dataset.failure)));
  }

  // What the pointer is on takes its neighbours with it.
  const near = (event, on) => {
    const part = event.target.closest("[data-node], [data-line]");
    if (!part) return;
    if (part.dataset.node !== undefined) {
      const index = Number(part.dataset.node);
      for (const line of [...coming[index], ...leaving[index]]) lines[line].classList.toggle("near", on);
    } else {
      const line = data.lines[Number(part.dataset.line)];
      for (const node of [line.from, line.to]) nodes[node].classList.toggle("near", on);
    }
  };
  graph.addEventListener("pointerover", (event) => near(event, true));
  graph.addEventListener("pointerout", (event) => near(event, false));

  // ---- Keys.

  const byPlace = (a, b) => centre(a).x - centre(b).x;
  const nearest = (candidates, x) => {
    const distance = (index) => Math.abs(centre(index).x - x);
    return candidates.reduce((best, one) => (best === null || distance(one) < distance(best) ? one : best), null);
  };
  const beside = (index, step) => {
    const y = centre(index).y;
    const row = nodes.map((_, place) => place).filter((place) => Math.abs(centre(place).y - y) < 1).sort(byPlace);
    return row[row.indexOf(index) + step] ?? null;
  };
  const goal = (part, key) => {
    if (part.dataset.line !== undefined) {
      const line = data.lines[Number(part.dataset.line)];
      return { ArrowUp: line.from, ArrowDown: line.to }[key] ?? null;
    }
    const index = Number(part.dataset.node);
    const x = centre(index).x;
    switch (key) {
      case "ArrowUp": return nearest(coming[index].map((line) => data.lines[line].from), x);
      case "ArrowDown": return nearest(leaving[index].map((line) => data.lines[line].to), x);
      case "ArrowLeft": return beside(index, -1);
      case "ArrowRight": return beside(index, 1);
      default: return null;
    }
  };
  graph.addEventListener("keydown", (event) => {
    const part = event.target.closest("[data-node], [data-line]");
    if (!part || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (part.dataset.node !== undefined) chooseNode(Number(part.dataset.node));
      else chooseLine(Number(part.dataset.line));
    } else if (event.key.startsWith("Arrow")) {
      event.preventDefault();
      const next = goal(part, event.key);
      if (next === null) return;
      makeTabStop(nodes[next]);
      nodes[next].focus({ preventScroll: true });
      reveal(next);
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = { "+": act.in, "=": act.in, "-": act.out, 0: act.all, 1: act.real, Escape: leave }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });

  // ---- The panel.

  const make = (tag, attributes, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes ?? {})) {
      if (value !== null && value !== undefined && value !== "") element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  };
  const link = (text, action) => {
    const button = make("button", { type: "button", class: "link" }, text);
    button.addEventListener("click", action);
    return button;
  };
  const plural = (n, thing) => (n === 1 ? `1 ${thing}` : `${n} ${thing}s`);
  const facts = (rows) => {
    const list = make("dl", { class: "facts" });
    for (const [name, value] of rows) {
      if (value !== null && value !== undefined) list.append(make("dt", null, name), make("dd", null, value));
    }
    return list;
  };
  const toNode = (index) => link(data.nodes[index].title, () => {
    chooseNode(index);
    reveal(index);
  });
  const failureText = (index) => {
    const failure = data.failures[index];
    const list = [make("p", { class: "outcome-failed" }, failure.exception)];
    if (failure.message) list.push(make("pre", null, failure.message));
    return list;
  };

  // Elements by their places in natural order; those that moved stand out.
  const elementName = (choice, place) => {
    const name = choice?.natural[place];
    if (name === undefined) return `element ${place + 1}`;
    return name === "" ? "(empty)" : name;
  };
  const elements = (choice, places, moved, more, label) => {
    const list = make("ol", { class: "places", "aria-label": label });
    for (const place of places) {
      const number = make("small", null, `${place + 1} `);
      const item = make("li", { class: moved.has(place) ? "moved" : null }, number, elementName(choice, place));
      if (moved.has(place)) item.title = `in natural order at place ${place + 1}`;
      list.append(item);
    }
    if (more > 0) list.append(make("li", null, `… ${more} more`));
    return list;
  };
  const naturalOrder = (choice) => {
    const shown = choice.natural.length || Math.min(choice.elements, 200);
    const places = Array.from({ length: shown }, (_, place) => place);
    const note = choice.natural.length ? null : make("p", { class: "faint" }, "The elements were not recorded.");
    return [
      make("h2", null, "Natural order"),
      note,
      elements(choice, places, new Set(), choice.elements - shown, "natural order"),
    ];
  };
  const orderBlock = (choice, order) => {
    const block = make("div", { class: "order" }, make("p", null, order.change));
    if (order.order.length > 0) {
      block.append(elements(choice, order.order, new Set(order.moved), order.more, "order given"));
    }
    if (order.failure !== undefined) {
      block.append(make("details", null, make("summary", null, "how it fails"), ...failureText(order.failure)));
    }
    return block;
  };
  // Long lists are made when they are opened.
  const orderList = (line) => {
    const choice = data.nodes[line.from].choice;
    const shown = 12;
    const blocks = line.orders.slice(0, shown).map((order) => orderBlock(choice, order));
    if (line.orders.length > shown) {
      const rest = make("details", null, make("summary", null, `${plural(line.orders.length - shown, "more order")}`));
      rest.addEventListener("toggle", () => {
        rest.append(...line.orders.slice(shown).map((order) => orderBlock(choice, order)));
      }, { once: true });
      blocks.push(rest);
    }
    if (line.more > 0) blocks.push(make("p", { class: "faint" }, `and ${plural(line.more, "order")} more, in the JSON`));
    return blocks;
  };
  const count = (line) => line.orders.length + line.more;
  const choiceFacts = (node) => [
    ["API", node.title],
    ["called by", node.choice.call ?? "unknown"],
    ["elements", String(node.choice.elements)],
  ];

  const linePanel = (index) => {
    const line = data.lines[index];
    const from = data.nodes[line.from];
    const to = data.nodes[line.to];
    const rows = from.choice ? choiceFacts(from) : [];
    rows.push(["from", toNode(line.from)], ["leads to", toNode(line.to)]);
    const content = [make("h2", null, from.choice ? plural(count(line), "order") : "The test starts"), facts(rows)];
    if (to.failure !== undefined) content.push(...failureText(to.failure));
    if (from.choice) {
      content.push(...naturalOrder(from.choice));
      content.push(make("h2", null, count(line) === 1 ? "Order given" : "Orders given"), ...orderList(line));
    }
    return content.filter((part) => part !== null);
  };

  const marks = (choice) => {
    const list = [];
    if (choice.critical) {
      list.push("Critical: one order leads only to passes, or only to failures, and another does not.");
    }
    if (choice.merge) list.push("Merge node: several orders before lead here; between them there is no difference.");
    if (choice.sampled) list.push("Sampled: there are too many orders to try all.");
    return list.map((text) => make("p", null, text));
  };
  const waysIn = (index) => coming[index].map((place) => {
    const line = data.lines[place];
    const choose = link(plural(count(line), "order"), () => chooseLine(place));
    return make("li", null, choose, " of ", toNode(line.from));
  });
  const waysOut = (index) => leaving[index].flatMap((place) => {
    const line = data.lines[place];
    const head = make("summary", null, `${plural(count(line), "order")} → ${data.nodes[line.to].title}`);
    const block = make("details", null, head);
    block.open = leaving[index].length <= 4;
    const fill = () => {
      if (block.childElementCount > 1) return;
      const choose = link("show this line", () => chooseLine(place));
      block.append(choose, " ", toNode(line.to), ...orderList(line));
    };
    if (block.open) fill();
    else block.addEventListener("toggle", fill);
    return [block];
  });
  const nodePanel = (index) => {
    const node = data.nodes[index];
    const content = [make("h2", { class: `outcome-${node.kind}` }, node.title)];
    if (node.failure !== undefined) content.push(...failureText(node.failure));
    const rows = node.choice ? choiceFacts(node) : [];
    if (node.probability) rows.push(["fails from here", node.probability]);
    if (node.cut > 0) rows.push(["not drawn", plural(node.cut, "order")]);
    content.push(facts(rows));
    if (node.choice) content.push(...marks(node.choice), ...naturalOrder(node.choice));
    if (coming[index].length) {
      content.push(make("h2", null, "Comes from"), make("ul", { class: "notes" }, ...waysIn(index)));
    }
    // An end under one choice shows that choice's orders right away.
    const only = !node.choice && coming[index].length === 1 ? data.lines[coming[index][0]] : null;
    const parent = only && data.nodes[only.from];
    if (parent?.choice) {
      content.push(facts(choiceFacts(parent)), ...naturalOrder(parent.choice));
      content.push(make("h2", null, count(only) === 1 ? "Order given" : "Orders given"), ...orderList(only));
    }
    if (leaving[index].length) content.push(make("h2", null, "Leads to"), ...waysOut(index));
    return content.filter((part) => part !== null);
  };

  // ---- Begin.

  graph.removeAttribute("viewBox");
  begin();
  window.addEventListener("resize", () => {
    if (!touched) begin();
  });
})();
