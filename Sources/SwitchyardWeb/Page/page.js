"use strict";
// The live page. All that comes from the process is text, and goes into the page as text alone.

const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";

/** An element with a class and children: elements, or texts. */
function make(tag, name, ...children) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.append(...children);
  return made;
}

/** An element of a drawing. */
function draw(tag, values, ...children) {
  const made = document.createElementNS(SVG, tag);
  set(made, values);
  made.append(...children);
  return made;
}

/** Sets the attributes that are not so already. */
function set(element, values) {
  for (const [name, value] of Object.entries(values)) {
    if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
  }
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Makes the children of an element those of a list, by their keys; keeps those that stay, and their focus. */
function keep(parent, list, create, update) {
  const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let place = parent.firstElementChild;
  for (const [key, value] of list) {
    let child = old.get(key);
    old.delete(key);
    if (!child) {
      child = create(key, value);
      child.dataset.key = key;
    }
    update(child, value, key);
    if (child === place) place = place.nextElementSibling;
    else parent.insertBefore(child, place);
  }
  for (const child of old.values()) child.remove();
}

// MARK: what is known

/** The parts of the picture, by their keys. */
const parts = new Map();
let room = null;
let isTable = false;
/** The choice made here, until the server says so too, or does not for some seconds. */
let chosen = "";
let isAsked = false;
let asked = 0;
/** Whether updates come, and what is said if they do not. */
let isConnected = false;
let trouble = "";

const process = () => parts.get("process");
const withPrefix = (prefix) => [...parts].filter(([key]) => key.startsWith(prefix));

function say(text) { setText($("said"), text); }

function warn(text) {
  $("banner").hidden = !text;
  setText($("banner"), text || "");
}

// MARK: the connection

async function begin() {
  const token = location.hash.slice(1);
  if (isToken(token)) {
    const answer = await fetch("/enter", { method: "POST", body: token }).catch(() => null);
    const path = answer && await answer.text().catch(() => null);
    if (path === null) return warn("The tool did not answer. Reload this page.");
    // The token is worth nothing from now on, and stays in no history.
    history.replaceState(null, "", location.pathname + location.search);
    if (answer.ok) sessionStorage.setItem("room", path);
    else if (!sessionStorage.getItem("room")) {
      return warn("This address has been used already, or is older than ten minutes. It lets one browser in, once: start the tool again.");
    }
  }
  room = sessionStorage.getItem("room");
  if (!room) return warn("Open the whole address that the tool has printed, with what follows the #.");
  listen();
}

const isToken = (text) => /^[0-9a-f]{32}$/.test(text);

// A new address in the same tab loads nothing by itself.
addEventListener("hashchange", () => { if (isToken(location.hash.slice(1))) location.reload(); });

function listen() {
  const events = new EventSource(room + "updates");
  const connected = (is, words) => {
    isConnected = is;
    trouble = words;
    warn(words);
    if (!is) setText($("live"), "Not connected");
    render();
  };
  events.onopen = () => connected(true, "");
  events.onmessage = (event) => take(JSON.parse(event.data));
  events.onerror = () => connected(false, events.readyState === EventSource.CLOSED
    ? "The tool lets this page in no longer: it was started again, or too many pages look. Close some and reload "
      + "this one, or open the address that the tool printed last."
    : "The tool does not answer. Has it been ended? This page tries again by itself.");
}

function take(update) {
  if (update.isFirst) parts.clear();
  for (const key of update.gone) parts.delete(key);
  for (const [key, value] of Object.entries(update.set)) parts.set(key, value);
  if (isAsked && process() && process().chosen === chosen) isAsked = false;
  if (!isAsked && process()) chosen = process().chosen;
  render();
}

async function command(value) {
  const answer = await fetch(room + "command", { method: "POST", body: JSON.stringify(value) }).catch(() => null);
  const isTaken = answer !== null && answer.ok;
  if (!isTaken) say("The tool did not take that.");
  return isTaken;
}

function choose(key) {
  if (!process()) return;
  chosen = key;
  isAsked = true;
  const own = ++asked;
  // Another page may choose something else before this choice is shown: what the server says counts then.
  const giveUp = () => {
    if (own !== asked || !isAsked) return;
    isAsked = false;
    chosen = process().chosen;
    mark();
  };
  setTimeout(giveUp, 3000);
  command(key.startsWith("post:") ? { post: key.slice(5) } : { select: key }).then((isTaken) => { if (!isTaken) giveUp(); });
  announce = true;
  mark();
}

/** Whether the next answer is read out. */
let announce = false;

// MARK: all of it

let isDue = false;
function render() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    if (!process()) return;
    renderHead();
    renderFacts();
    layOut();
    renderTable();
    renderFindings();
    renderLanes();
    renderSide();
  });
}

let wasOver = false;
function renderHead() {
  const { number, name, isPaused, hasEnded, problem, budget, cost } = process();
  const isOver = hasEnded || Boolean(problem);
  setText($("name"), name);
  setText($("number"), `process ${number}`);
  document.title = `${hasEnded ? "Ended: " : ""}${name} · Switchyard`;
  setText($("cost"), isPaused ? "Paused: no posts are recorded." : cost);
  $("cost").hidden = isOver;
  const isSilent = !isOver && parts.get("silent") === true;
  const [state, look] = hasEnded ? ["Ended", ""] : problem ? ["Given up", ""] : !isConnected ? ["Not connected", ""]
    : isSilent ? ["Does not answer", ""] : isPaused ? ["Paused", "paused"] : ["Live", "on"];
  setText($("live"), state);
  $("live").className = `live ${look}`;
  setText($("pause"), isPaused ? "Go on" : "Pause");
  $("pause").disabled = $("budget").disabled = isOver;
  if (document.activeElement !== $("budget")) $("budget").value = String(budget);
  const words = hasEnded ? `${name} (PID ${number}) has ended. This is how it was at the end.`
    : problem ? `The tool looks at ${name} (PID ${number}) no longer: ${problem}. This is how it was before; start the tool again.`
    : isSilent ? `${name} (PID ${number}) does not answer; it may be stopped. This is how it was before.` : "";
  warn(trouble || words);
  if (isOver && !wasOver) say(words);
  wasOver = isOver;
}

function renderFacts() {
  keep($("facts"), (parts.get("facts") || []).map((fact) => [fact.name, fact]), () =>
    make("div", "fact", make("dt"), make("dd", "", make("b"), make("small"), make("span", "unseen")),
      draw("svg", { width: 70, height: 18, "aria-hidden": "true" }, draw("polyline", {}))),
  (box, fact) => {
    box.className = `fact ${fact.isHot ? "hot" : ""}`;
    box.title = fact.hint;
    setText(box.children[0], fact.name);
    setText(box.querySelector("b"), fact.value);
    setText(box.querySelector("small"), fact.unit);
    setText(box.querySelector(".unseen"), fact.hint && `, ${fact.hint}`);
    const step = 70 / Math.max(1, fact.line.length - 1);
    set(box.querySelector("polyline"), { points: fact.line.map((v, i) => `${(i * step).toFixed(1)},${(16 - v * .14).toFixed(1)}`).join(" ") });
  });
}

// MARK: the graph

const measure = document.createElement("canvas").getContext("2d");
const fitted = new Map();

/** The part of a text that has room. The line at the end of a place stays. */
function fit(text, width, font, isPlace) {
  const key = `${text}\n${Math.round(width)}\n${font}`;
  if (fitted.has(key)) return fitted.get(key);
  if (fitted.size > 4000) fitted.clear();
  measure.font = font;
  const letters = [...text];
  let best = text;
  if (measure.measureText(text).width > width) {
    let [low, high] = [0, letters.length];
    const end = isPlace ? (/:[0-9]+$/.exec(text) || [""])[0] : "";
    const cut = (n) => letters.slice(0, n).join("") + "…" + end;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (measure.measureText(cut(middle)).width <= width) low = middle;
      else high = middle - 1;
    }
    best = cut(low);
  }
  fitted.set(key, best);
  return best;
}

const style = getComputedStyle(document.documentElement);
const MONO = "12px " + style.getPropertyValue("--mono");
const SANS = "11.5px " + style.getPropertyValue("--sans");
const BOLD = "600 12.5px " + style.getPropertyValue("--sans");

/** The order of the nodes, and the nodes and edges for which it was made. */
let order = { made: "", posters: [], topics: [], contexts: [] };

/** Puts the nodes of each side into an order in which few edges cross. Rates do not move them. */
function makeOrder() {
  const edges = withPrefix("e:");
  const made = [...parts.keys()].filter((key) => /^[poctze]:/.test(key)).sort().join(" ");
  if (made === order.made) return;
  const rank = (name) => name === "the posting thread" ? 0 : name === "main" ? 1 : name === "elsewhere" ? 3 : 2;
  const handlers = withPrefix("o:");
  const contexts = withPrefix("c:").map(([key, context]) => ({
    key, name: context.name,
    handlers: handlers.filter(([, one]) => one.context === key)
      .sort(([a, one], [b, other]) => one.sequence - other.sequence || (a < b ? -1 : 1)).map(([one]) => one),
  })).filter((context) => context.handlers.length)
    .sort((a, b) => rank(a.name) - rank(b.name) || (a.name < b.name ? -1 : 1));
  const at = new Map(contexts.flatMap((context) => context.handlers).map((key, index) => [key, index]));
  const middle = (targets) => targets.length ? targets.reduce((sum, v) => sum + v, 0) / targets.length : 1e6;
  const sorted = (keys, isFrom) => {
    const places = new Map(keys.map((key) => [key, middle(edges
      .filter(([, edge]) => (isFrom ? edge.from : edge.to) === key)
      .map(([, edge]) => at.get(isFrom ? edge.to : edge.from)).filter((v) => v !== undefined))]));
    return keys.sort((a, b) => places.get(a) - places.get(b) || (a < b ? -1 : 1));
  };
  const topics = sorted(withPrefix("t:").map(([key]) => key), true);
  topics.forEach((key, index) => at.set(key, index));
  const posters = sorted(withPrefix("p:").map(([key]) => key), true);
  order = { made, posters, topics, contexts };
}

const edgeWidth = (rate) => 1.4 + 3 * Math.log10(1 + Math.max(0, rate));

function layOut() {
  makeOrder();
  const box = $("graph");
  if (isTable || !box.clientWidth) return;
  const width = box.clientWidth;
  const isNarrow = width < 620;
  const edge = isNarrow ? 8 : 16;
  const gap = isNarrow ? 18 : 60;
  const share = (width - 2 * edge - 2 * gap) / (isNarrow ? 100 : 110);
  const posterWidth = Math.min(200, share * 33);
  const topicWidth = Math.min(190, share * 31);
  const handlerWidth = Math.min(isNarrow ? 400 : 350, share * (isNarrow ? 36 : 46));
  const handlerX = width - edge - handlerWidth;
  const topicX = edge + posterWidth + (handlerX - edge - posterWidth - topicWidth) * .48;
  const rows = order.contexts.reduce((sum, context) => sum + context.handlers.length, 0);
  const [top, head, foot, space, nodeHeight] = [32, 23, 6, 7, 37];
  const rowHeight = isNarrow ? 40 : 26;
  const needed = Math.max(
    top + rows * rowHeight + order.contexts.length * (head + foot + space),
    top + order.posters.length * (nodeHeight + 5), top + order.topics.length * (nodeHeight + 5)) + 8;
  const height = Math.max(needed, box.clientHeight, 240);
  const spots = new Map();
  const place = (keys, x, w) => {
    const room = (height - top - 12 - keys.length * nodeHeight) / Math.max(1, keys.length - 1);
    keys.forEach((key, i) => spots.set(key, { x, y: top + i * (nodeHeight + Math.min(room, 24)), w, h: nodeHeight }));
  };
  place(order.posters, edge, posterWidth);
  place(order.topics, topicX, topicWidth);
  let y = top;
  const frames = new Map();
  for (const context of order.contexts) {
    const start = y;
    y += head;
    for (const key of context.handlers) {
      spots.set(key, { x: handlerX + 6, y, w: handlerWidth - 12, h: rowHeight - 4 });
      y += rowHeight;
    }
    y += foot - 4;
    frames.set(context.key, { x: handlerX, y: start, w: handlerWidth, h: y - start });
    y += space;
  }
  let svg = box.firstElementChild;
  if (!svg) {
    svg = draw("svg", { role: "group", "aria-label": "Who posts, and who hears it. Tab goes from node to node, arrow keys to its neighbours, Enter chooses, Escape lets go." },
      draw("g", {}), draw("g", { "aria-hidden": "true" }), draw("g", { "aria-hidden": "true" }), draw("g", {}));
    box.append(svg);
  }
  set(svg, { width, height, viewBox: `0 0 ${width} ${height}` });
  renderHeads(svg.children[0], edge, topicX, topicWidth, handlerX, isNarrow);
  renderEdges(svg.children[1], spots);
  renderContexts(svg.children[2], frames, isNarrow);
  renderNodes(svg.children[3], spots, isNarrow);
  $("hidden").hidden = !parts.get("hidden");
  setText($("hidden"), `${parts.get("hidden")} edges with the lowest rates are not shown.`);
  mark();
}

function renderHeads(group, x, topicX, topicWidth, handlerX, isNarrow) {
  const heads = [["posted", x, "Posted at", ""], ["name", topicX, isNarrow ? "Name" : "Name or message", ""],
    ["heard", handlerX, isNarrow ? "Heard at" : "Heard on, and registered at", ""]];
  if (handlerX - topicX - topicWidth > 190) heads.push(["width", topicX + topicWidth + 18, "width: how many a second", "thin"]);
  keep(group, heads.map((one) => [one[0], one]), () => draw("text", { y: 20 }), (text, [, at, words, thin]) => {
    set(text, { x: at, class: `head ${thin}` });
    setText(text, words);
  });
}

function renderEdges(group, spots) {
  const edges = withPrefix("e:").filter(([, edge]) => spots.has(edge.from) && spots.has(edge.to));
  // Each edge has its own place at both of its nodes.
  const sides = new Map();
  for (const [key, edge] of edges) {
    for (const [node, other, side] of [[edge.from, edge.to, "out"], [edge.to, edge.from, "in"]]) {
      const list = sides.get(node + side) || [];
      list.push({ key, at: spots.get(other).y, width: edgeWidth(edge.rate) });
      sides.set(node + side, list);
    }
  }
  const ends = new Map();
  for (const [side, list] of sides) {
    const isOut = side.endsWith("out");
    const spot = spots.get(side.slice(0, isOut ? -3 : -2));
    list.sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1));
    const all = list.reduce((sum, one) => sum + one.width + 1.5, -1.5);
    const shrink = Math.min(1, (spot.h - 4) / all);
    let y = spot.y + spot.h / 2 - all * shrink / 2;
    for (const one of list) {
      ends.set(one.key + (isOut ? "out" : "in"), y + one.width * shrink / 2);
      y += (one.width + 1.5) * shrink;
    }
  }
  // The latest are drawn last, so that they are seen.
  edges.sort(([a, one], [b, other]) => one.level - other.level || (a < b ? -1 : 1));
  keep(group, edges, () => draw("g", { class: "edge" }, draw("path", { class: "seen" }), draw("path", { class: "hit" }), draw("title", {})),
    (made, edge, key) => {
      const [from, to] = [spots.get(edge.from), spots.get(edge.to)];
      const [x1, y1, x2, y2] = [from.x + from.w, ends.get(key + "out"), to.x, ends.get(key + "in")];
      const bend = (x2 - x1) / 2;
      const d = `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
      made.dataset.base = `edge l${edge.level} ${edge.rate < .005 ? "idle" : ""}`;
      set(made.children[0], { d, "stroke-width": edgeWidth(edge.rate).toFixed(2) });
      set(made.children[1], { d });
      const times = [edge.words, edge.waits && `waits ${edge.waits}`, edge.takes && `takes ${edge.takes}`];
      setText(made.children[2], times.filter(Boolean).join(", "));
    });
}

function renderContexts(group, frames, isNarrow) {
  keep(group, [...frames], () => draw("g", {}, draw("rect", { rx: 9 }), draw("text", { class: "name" }), draw("text", { class: "detail" })),
    (made, frame, key) => {
      const context = parts.get(key);
      set(made, { class: `context ${context.isFull ? "full" : ""}` });
      set(made.children[0], { x: frame.x, y: frame.y, width: frame.w, height: frame.h });
      set(made.children[1], { x: frame.x + 10, y: frame.y + 16 });
      set(made.children[2], { x: frame.x + frame.w - 10, y: frame.y + 16 });
      const detail = isNarrow ? (context.isFull ? "full" : "") : context.detail;
      setText(made.children[2], detail);
      measure.font = SANS;
      const left = frame.w - 30 - measure.measureText(detail).width;
      setText(made.children[1], fit(context.name, left, BOLD));
    });
}

/** The words of a node for those who do not see it. */
function wordsFor(key, node) {
  if (key.startsWith("p:")) return `posted at ${node.place}, ${node.detail}, ${node.words}`;
  if (key.startsWith("t:")) return `${node.name}, posted ${node.words}${node.isUnheard ? ", nobody hears it" : ""}`;
  const context = parts.get(node.context);
  return `heard at ${node.place}, on ${context ? context.name : ""}, ${node.words}`
    + (node.time ? `, slowest in a hundred ${node.time}` : "") + (node.count > 1 ? `, ${node.count} registrations` : "");
}

function renderNodes(group, spots, isNarrow) {
  const keys = [...order.posters, ...order.topics, ...order.contexts.flatMap((context) => context.handlers)];
  keep(group, keys.filter((key) => parts.has(key)).map((key) => [key, parts.get(key)]), () =>
    draw("g", { tabindex: 0, role: "button" }, draw("rect", { rx: 6 }), draw("text", { class: "first" }),
      draw("text", { class: "second" }), draw("text", { class: "value" }), draw("title", {})),
  (made, node, key) => {
    const spot = spots.get(key);
    const isHandler = key.startsWith("o:");
    const isTopic = key.startsWith("t:");
    const [rect, first, second, value, title] = ["rect", ".first", ".second", ".value", "title"].map((what) => made.querySelector(what));
    made.dataset.base = "node " + (isHandler ? `handler l${node.level}` : isTopic ? "topic" : "poster")
      + (node.isUnheard ? " unheard" : "") + (node.count > 1 ? " many" : "");
    set(made, { transform: `translate(${spot.x.toFixed(1)} ${spot.y.toFixed(1)})`, "aria-label": wordsFor(key, node) });
    set(rect, { width: spot.w.toFixed(1), height: spot.h });
    setText(title, wordsFor(key, node));
    const isTall = !isHandler || isNarrow;
    set(first, { x: 9, y: isTall ? 15.5 : spot.h / 2 + 4 });
    let left = spot.w - 18;
    if (isHandler) {
      setText(second, isNarrow ? node.time || "idle" : "");
      setText(value, isNarrow ? "" : node.time || "idle");
      set(value, { x: spot.w - 9, y: spot.h / 2 + 4 });
      if (isNarrow) set(second, { x: 9, y: 30 });
      else left -= 62;
    } else {
      set(second, { x: 9, y: 30 });
      const [short, long] = isTopic ? (node.isUnheard ? ["nobody hears it", `nobody hears it · ${node.words}`] : [node.words, node.words])
        : [node.words, `${node.words}, ${node.detail}`];
      setText(second, fit(long, left, SANS) === long ? long : fit(short, left, SANS));
    }
    const isMany = node.count > 1;
    if (isMany) left -= 44;
    setText(first, fit(isTopic ? node.name : node.place, left, isTopic ? BOLD : MONO, !isTopic));
    showCount(made, isMany ? `× ${node.count}` : "", isNarrow ? spot.w - 30 : spot.w - 96, isNarrow ? 12 : spot.h / 2);
  });
}

/** Shows how many registrations a node stands for, or takes that away. */
function showCount(node, words, x, y) {
  let badge = node.querySelector(".badge");
  if (!words) {
    if (badge) [badge, node.querySelector(".count")].forEach((one) => one.remove());
    return;
  }
  if (!badge) node.append(badge = draw("rect", { class: "badge", rx: 7.5, width: 42, height: 15 }), draw("text", { class: "count" }));
  set(badge, { x: x - 21, y: y - 7.5 });
  const count = node.querySelector(".count");
  set(count, { x, y: y + 4 });
  setText(count, words);
}

/** The edges and nodes before and behind a node. */
function reach(key) {
  const on = new Set([key]);
  const edges = withPrefix("e:");
  const go = (node, near, far) => {
    for (const [name, edge] of edges) {
      if (edge[near] !== node) continue;
      on.add(name);
      if (!on.has(edge[far])) { on.add(edge[far]); go(edge[far], near, far); }
    }
  };
  go(key, "from", "to");
  go(key, "to", "from");
  return on;
}

/** Shows what was chosen. */
function mark() {
  const svg = $("graph").firstElementChild;
  const on = parts.has(chosen) ? reach(chosen) : new Set();
  if (svg) {
    set(svg, { class: on.size ? "picked" : "" });
    for (const made of svg.querySelectorAll("[data-base]")) {
      const key = made.dataset.key;
      set(made, { class: `${made.dataset.base}${on.has(key) ? " on" : ""}${key === chosen ? " chosen" : ""}` });
      if (made.getAttribute("role")) set(made, { "aria-pressed": key === chosen });
    }
  }
  for (const row of $("rows").children) row.classList.toggle("chosen", row.dataset.node === chosen && chosen !== "");
}

const nodeAt = (target) => target.closest ? target.closest("[data-key]") : null;

$("graph").addEventListener("click", (event) => {
  const made = nodeAt(event.target);
  if (!made || !/^[pteo]:/.test(made.dataset.key)) return;
  const edge = parts.get(made.dataset.key);
  if (made.dataset.key.startsWith("e:")) choose(edge.to.startsWith("o:") ? edge.to : edge.from);
  else choose(made.dataset.key);
});

$("graph").addEventListener("keydown", (event) => {
  const made = nodeAt(event.target);
  if (!made) return;
  const key = made.dataset.key;
  if (event.key === "Enter" || event.key === " ") choose(key);
  else if (event.key.startsWith("Arrow")) go(key, event.key);
  else return;
  event.preventDefault();
});

/** Moves the focus from a node to its neighbour. */
function go(key, arrow) {
  const columns = [order.posters, order.topics, order.contexts.flatMap((context) => context.handlers)];
  const column = columns.findIndex((keys) => keys.includes(key));
  const index = columns[column].indexOf(key);
  let next;
  if (arrow === "ArrowUp") next = columns[column][index - 1];
  else if (arrow === "ArrowDown") next = columns[column][index + 1];
  else {
    const isRight = arrow === "ArrowRight";
    const side = columns[column + (isRight ? 1 : -1)] || [];
    const linked = new Set(withPrefix("e:").filter(([, edge]) => (isRight ? edge.from : edge.to) === key)
      .map(([, edge]) => isRight ? edge.to : edge.from));
    next = side.find((one) => linked.has(one));
  }
  const target = next && $("graph").querySelector(`[data-key="${CSS.escape(next)}"]`);
  if (target) target.focus();
}

// MARK: the table

function renderTable() {
  const rows = [];
  for (const key of order.topics) {
    const topic = parts.get(key);
    if (!topic) continue;
    const edges = withPrefix("e:");
    const posted = edges.filter(([, edge]) => edge.to === key).map(([, edge]) => parts.get(edge.from))
      .filter(Boolean).map((poster) => poster.place).join(", ");
    const heard = edges.filter(([, edge]) => edge.from === key && parts.has(edge.to));
    if (!heard.length) rows.push([key, { key, topic, posted, words: topic.words, place: "nobody hears it", context: "", waits: "", takes: "", level: 0, isWaiting: false }]);
    for (const [name, edge] of heard) {
      const handler = parts.get(edge.to);
      const context = parts.get(handler.context);
      rows.push([name, { key: edge.to, topic, posted, place: handler.place + (handler.count > 1 ? ` × ${handler.count}` : ""),
        context: context ? context.name : "", words: edge.words, waits: edge.waits, takes: edge.takes, level: edge.level, isWaiting: edge.isWaiting }]);
    }
  }
  const heads = [...$("table").querySelectorAll("th")].map((head) => head.textContent);
  keep($("rows"), rows, () => {
    // The roles are said, because a narrow window lays the rows out as blocks, which takes them away.
    const row = make("tr", "", ...heads.map((head) => {
      const cell = make("td");
      cell.dataset.head = head;
      set(cell, { role: "cell" });
      return cell;
    }));
    set(row, { role: "row" });
    const link = make("button", "link", make("bdi"));
    link.type = "button";
    row.children[0].append(link);
    [1, 2].forEach((i) => row.children[i].classList.add("place"));
    [4, 5, 6].forEach((i) => row.children[i].classList.add("figure"));
    return row;
  }, (row, value) => {
    row.dataset.node = value.key;
    row.querySelector("button").tabIndex = isTable ? 0 : -1;
    setText(row.querySelector("bdi"), value.topic.name);
    [value.posted, value.place, value.context, value.words, value.waits, value.takes].forEach((words, i) => setText(row.children[i + 1], words || "–"));
    row.children[5].classList.toggle("l3", value.level === 3 && value.isWaiting);
    row.children[6].classList.toggle("l3", value.level === 3 && !value.isWaiting);
  });
  mark();
}

$("rows").addEventListener("click", (event) => {
  const row = event.target.closest("tr");
  if (row) choose(row.dataset.node);
});

function show(asTable) {
  isTable = asTable;
  $("graph").hidden = asTable;
  $("table").classList.toggle("unseen", !asTable);
  set($("as-graph"), { "aria-pressed": !asTable });
  set($("as-table"), { "aria-pressed": asTable });
  render();
}
$("as-graph").onclick = () => show(false);
$("as-table").onclick = () => show(true);

// MARK: findings

function renderFindings() {
  const findings = parts.get("findings") || [];
  setText($("finds-count"), findings.length ? `${findings.length} ${findings.length === 1 ? "finding" : "findings"}` : "");
  // A finding whose figures change stays the same one, with its focus.
  const seen = new Map();
  const keyOf = (one) => {
    const key = `${one.about} ${one.tag} ${one.text.replace(/[0-9]+/g, "")}`;
    seen.set(key, (seen.get(key) || 0) + 1);
    return `${seen.get(key)} ${key}`;
  };
  const list = findings.length ? findings.map((one) => [keyOf(one), one]) : [["none", null]];
  keep($("finds"), list, (key, finding) => {
    if (!finding) return make("li", "none", "Nothing looks like a mistake.");
    const box = make(finding.about ? "button" : "div", "find", make("span", "tag"), make("span", "words"));
    if (finding.about) box.type = "button";
    return make("li", "", box);
  }, (item, finding) => {
    if (!finding) return;
    item.dataset.node = finding.about;
    const tag = item.querySelector(".tag");
    tag.className = `tag ${finding.tone}`;
    setText(tag, finding.tag);
    setText(item.querySelector(".words"), finding.text.charAt(0).toUpperCase() + finding.text.slice(1));
  });
}

$("finds").addEventListener("click", (event) => {
  const item = event.target.closest("button") && event.target.closest("li");
  if (item && item.dataset.node) choose(item.dataset.node);
});

// MARK: lanes

/** The bar that the keys have come to: its lane, post and name. */
let cursor = null;

function renderLanes() {
  const box = $("lanes");
  const lanes = withPrefix("l:").sort(([a], [b]) => Number(a.slice(2)) - Number(b.slice(2))).map(([, lane]) => lane);
  const isStill = parts.get("still");
  setText($("lanes-title"), isStill ? "The second of this post" : "The last second");
  setText($("still"), isStill ? "stands still; Escape lets it go on" : "");
  const width = Math.max(200, box.clientWidth - 20);
  const rowHeight = Math.max(26, Math.min(40, (box.clientHeight - 26) / Math.max(1, lanes.length)));
  const height = lanes.length * rowHeight + 20;
  const left = width < 420 ? 78 : 112;
  const x = (at) => left + (width - left - 8) * at / 10000;
  let svg = box.firstElementChild;
  if (!svg) {
    svg = draw("svg", { role: "group", "aria-label": "The handlers of the last second, by thread. In a lane, the left and right keys go from one to the next, Enter chooses its post." },
      draw("g", { "aria-hidden": "true" }), draw("g", {}), draw("g", { "aria-hidden": "true" }));
    box.append(svg);
  }
  set(svg, { width, height, viewBox: `0 0 ${width} ${height}` });
  const ticks = width < 420 ? [0, 5000, 10000] : [0, 2500, 5000, 7500, 10000];
  keep(svg.children[0], ticks.map((at) => [String(at), at]), () => draw("g", {}, draw("path", { class: "rule" }), draw("text", { class: "tick" })), (made, at) => {
    set(made.children[0], { d: `M${x(at)} 0V${height - 18}` });
    set(made.children[1], { x: x(at), y: height - 4, "text-anchor": at === 0 ? "start" : at === 10000 ? "end" : "middle" });
    setText(made.children[1], at === 10000 ? "now" : at === 0 ? "−1 s" : `−${1000 - at / 10} ms`);
  });
  if (isStill) setText(svg.children[0].lastElementChild.children[1], "then");
  keep(svg.children[1], lanes.map((lane, index) => [String(index), lane]), () =>
    // A list to choose from, so that screen readers leave the arrow keys to it.
    draw("g", { class: "lane", tabindex: 0, role: "listbox", "aria-orientation": "horizontal" }, draw("rect", { class: "row", x: 1, "aria-hidden": "true" }),
      draw("path", { class: "rule", "aria-hidden": "true" }), draw("text", { x: 2, "aria-hidden": "true" }), draw("g", { role: "none" })),
  (made, lane, index) => {
    const y = Number(index) * rowHeight;
    set(made, { "aria-label": `${lane.name}: ${lane.bars.length} calls and posts` });
    set(made.children[0], { y: y + 1, width: width - 2, height: rowHeight - 2 });
    set(made.children[1], { d: `M${left} ${y + rowHeight}H${width - 8}` });
    set(made.children[2], { y: y + rowHeight / 2 + 4 });
    setText(made.children[2], fit(lane.name, left - 8, SANS));
    renderBars(made.children[3], lane, index, y, rowHeight, x);
    const current = made.querySelector(".cursor");
    if (current) set(made, { "aria-activedescendant": current.id });
    else made.removeAttribute("aria-activedescendant");
  });
  renderArrows(svg.children[2], rowHeight, x);
}

function renderBars(group, lane, index, y, rowHeight, x) {
  while (group.children.length > lane.bars.length) group.lastElementChild.remove();
  while (group.children.length < lane.bars.length) {
    group.append(draw("rect", { rx: 1.5, role: "option", id: `bar-${index}-${group.children.length}` }, draw("title", {})));
  }
  lane.bars.forEach(([begin, width, level, depth, post, name, time, isChosen], i) => {
    const bar = group.children[i];
    const inset = rowHeight * (.18 + .07 * depth);
    const words = `${lane.names[name]}, ${time}`;
    const isCursor = cursor && cursor.lane === index && cursor.post === post && cursor.name === lane.names[name];
    set(bar, { x: x(begin).toFixed(1), y: (y + inset).toFixed(1), width: Math.max(1.6, x(begin + width) - x(begin) - .5).toFixed(1),
      height: (rowHeight - 2 * inset).toFixed(1), class: `bar l${level}${isChosen ? " chosen" : ""}${isCursor ? " cursor" : ""}`,
      "aria-label": words, "aria-selected": Boolean(isChosen) });
    bar.dataset.post = post;
    setText(bar.firstElementChild, words);
  });
}

function renderArrows(group, rowHeight, x) {
  const right = x(10000);
  keep(group, (parts.get("arrows") || []).map((arrow, i) => [String(i), arrow]), () =>
    draw("g", {}, draw("path", { class: "arrow" }), draw("rect", { class: "pill", rx: 8.5, height: 17 }), draw("text", { class: "pill-text" })),
  (made, arrow) => {
    const [x1, x2] = [x(arrow.from), x(arrow.to)];
    const isDown = arrow.toLane > arrow.fromLane;
    const y1 = (arrow.fromLane + (isDown ? .82 : .18)) * rowHeight;
    const y2 = (arrow.toLane + (isDown ? .18 : .82)) * rowHeight;
    const y = arrow.toLane === arrow.fromLane ? y1 : y2 + (isDown ? -4 : 4);
    set(made.children[0], { d: `M${x1} ${y1}V${y}H${x2}V${y2}` });
    measure.font = "650 11px " + style.getPropertyValue("--sans");
    const width = measure.measureText(arrow.words).width + 16;
    const middle = Math.min(Math.max((x1 + x2) / 2, x(0) + width / 2), right - width / 2);
    const label = y + (isDown ? -9 : 9);
    set(made.children[1], { x: middle - width / 2, y: label - 8.5, width });
    set(made.children[2], { x: middle, y: label + 4 });
    setText(made.children[2], arrow.words);
  });
}

$("lanes").addEventListener("click", (event) => {
  if (event.target.dataset && event.target.dataset.post) choose(`post:${event.target.dataset.post}`);
});

$("lanes").addEventListener("keydown", (event) => {
  const made = event.target.closest(".lane");
  const lane = made && parts.get(`l:${made.dataset.key}`);
  if (!lane) return;
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    let at = cursor && cursor.lane === made.dataset.key
      ? lane.bars.findIndex((bar) => bar[4] === cursor.post && lane.names[bar[5]] === cursor.name) : -1;
    if (at < 0) at = event.key === "ArrowRight" ? -1 : lane.bars.length;
    at = Math.min(Math.max(at + (event.key === "ArrowRight" ? 1 : -1), 0), lane.bars.length - 1);
    const bar = lane.bars[at];
    if (!bar) return;
    cursor = { lane: made.dataset.key, post: bar[4], name: lane.names[bar[5]] };
    renderLanes();
  } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
    const next = event.key === "ArrowUp" ? made.previousElementSibling : made.nextElementSibling;
    if (next) next.focus();
  } else if ((event.key === "Enter" || event.key === " ") && cursor && cursor.lane === made.dataset.key) {
    choose(`post:${cursor.post}`);
  } else return;
  event.preventDefault();
});

// MARK: the side

let shownSide = "";
function renderSide() {
  const side = parts.get("side");
  const text = JSON.stringify(side);
  if (!side || text === shownSide) return;
  const box = $("side");
  // A text that is marked, to be copied, stays.
  const selection = getSelection();
  if (selection && !selection.isCollapsed && box.contains(selection.anchorNode) && !announce) return;
  shownSide = text;
  const focused = box.contains(document.activeElement) ? document.activeElement.dataset.at : null;
  const top = box.scrollTop;
  keep(box, sideParts(side), () => make("div"), (made, [text, build]) => {
    if (made.dataset.text === text) return;
    made.dataset.text = text;
    made.replaceChildren(build());
  });
  if (focused && !box.contains(document.activeElement)) {
    const again = box.querySelector(`[data-at="${CSS.escape(focused)}"]`);
    // The window stays where it is.
    (again || box).focus({ preventScroll: true });
  }
  box.scrollTop = announce ? 0 : top;
  if (announce && side.chosen === chosen) {
    say(`${side.title}. ${side.verdict} ${side.text}`);
    announce = false;
  }
}

/** The parts of the side: for each its key, all that it is made from as a text, and what makes it. */
function sideParts(side) {
  const made = [];
  const add = (key, value, build) => made.push([key, [JSON.stringify(value), () => build(value)]]);
  add("crumb", side.crumb, (words) => make("p", "crumb", make("bdi", "", words)));
  add("title", side.title, (words) => make("h2", "title", make("bdi", "", words)));
  add("why", [side.tone, side.verdict, side.text], ([tone, verdict, text]) => make("p", `why ${tone}`, make("b", "", verdict), text));
  side.sections.forEach((section, i) => add(`${i} ${section.title}`, section, sideSection));
  if (side.hint) add("hint", side.hint, (words) => make("p", "hint", words));
  return made;
}

function sideSection(section) {
  const box = make("section", "", make("h3", "", section.title));
  if (section.kind === "path") box.append(splitOf(section));
  else if (section.kind === "steps") box.append(...stepsOf(section.lines));
  else if (section.kind === "bars") box.append(barsOf(section.lines));
  else box.append(pairsOf(section.lines));
  if (section.note && section.kind !== "path") box.append(make("span", "remark", section.note));
  return box;
}

/** A text that leads to a node where it is about one. */
function named(line) {
  if (!line.about) return make("bdi", "", line.name);
  const link = make("button", "link", make("bdi", "", line.name));
  link.type = "button";
  link.dataset.about = line.about;
  link.dataset.at = line.about;
  return link;
}

function pairsOf(lines) {
  const list = make("dl", "pairs");
  lines.forEach((line) => list.append(make("dt", "", named(line)), make("dd", line.value.length < 22 ? "whole" : "", make("bdi", "", line.value))));
  return list;
}

function barsOf(lines) {
  const list = make("div", "bars");
  lines.forEach((line) => {
    const length = make("i");
    length.style.width = `${Math.max(1, line.bar || 0)}%`;
    list.append(make("div", "name", length, named(line)), make("div", "value", line.value));
  });
  return list;
}

/** A time, as the parts that it is made of. */
function splitOf({ lines, note }) {
  const box = make("div", "split");
  for (const line of lines) {
    const part = make("div", `l${line.level}`, line.bar >= 25 || lines.length === 1 ? `${line.name} ${line.value}` : "");
    part.style.flex = `${Math.max(1, line.bar)} 1 0`;
    part.title = `${line.name} ${line.value}`;
    box.append(part);
  }
  const words = make("span", "remark", lines.map((line) => `${line.name} ${line.value}`).join(" + ") + (lines.length > 1 ? `: ${note}` : ""));
  return make("div", "", box, words);
}

function stepsOf(lines) {
  const chart = make("div", "steps-chart");
  set(chart, { role: "img", "aria-label": lines.filter((line) => line.value !== "0").map((line) => `${line.name}: ${line.value}`).join(", ") });
  for (const line of lines) {
    const bar = make("i", `l${line.level}`);
    bar.style.height = `${line.bar}%`;
    bar.title = `${line.name}: ${line.value}`;
    chart.append(bar);
  }
  return [chart, make("div", "axis", make("span", "", "10 µs"), make("span", "", "1 ms"), make("span", "", "300 ms"))];
}

$("side").addEventListener("click", (event) => {
  const link = event.target.closest("[data-about]");
  if (link) choose(link.dataset.about);
});

// MARK: the rest

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.target.tagName === "SELECT" || !chosen) return;
  cursor = null;
  choose("");
});

$("pause").onclick = () => {
  if (!process()) return;
  const isPaused = !process().isPaused;
  command({ pause: isPaused });
  say(isPaused ? "Paused" : "Live again");
};
$("budget").onchange = () => command({ budget: Number($("budget").value) });

$("theme").onclick = () => {
  const root = document.documentElement;
  const now = root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
};
const theme = new URLSearchParams(location.search).get("theme");
if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;

new ResizeObserver(render).observe($("graph").parentElement);
new ResizeObserver(render).observe($("lanes"));
addEventListener("resize", render);
begin();
