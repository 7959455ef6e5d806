"use strict";
// The page view: the stored page in a frame without scripts, its blocks, and what they are taught.
(() => {
const root = document.body.dataset.root, site = document.body.dataset.site, url = document.body.dataset.url;
const find = (name) => document.getElementById(name);
const frame = find("frame"), stage = find("stage"), cover = find("cover"), tip = find("tip");
const embedded = find("data");
const MARK = "data-pb", VERDICT = "data-pv", SELECTED = "data-ps";
let view = null, file = "", current = -1, level = -1, sign = null, before = null, shownTab = "blocks", job = null;
let flips = {};

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// ---- The page in its frame. No listener is put into it: what lies over it takes the pointer.

function inside() {
  const opened = frame.contentDocument;
  return opened && opened.body ? opened : null;
}

function marked(position) {
  const opened = inside();
  return opened ? [...Document.prototype.querySelectorAll.call(opened, `[${MARK}="${position}"]`)] : [];
}

function pressed(name) {
  const button = find(name);
  return button !== null && button.getAttribute("aria-pressed") === "true";
}

function load() {
  if (embedded) {
    frame.srcdoc = embeddedData.frame;
    return;
  }
  const query = new URLSearchParams({site, url, images: pressed("images") ? 1 : 0, styles: pressed("styles") ? 1 : 0});
  frame.src = `${root}/frame?${query}`;
}

function fit() {
  const opened = inside();
  if (!opened) return;
  frame.style.height = "100%";
  const height = Math.max(opened.documentElement.scrollHeight, opened.body.scrollHeight, stage.clientHeight);
  frame.style.height = cover.style.height = `${Math.min(height, 400000)}px`;
}

// A script would have shown what styles hide, and scrolled what they cut off. Boxes that lie over the page, such
// as menus, stay hidden; what holds half of its text does not.
function reveal() {
  const opened = inside();
  // A file has no such button: its page has its styles.
  if (!opened || (find("styles") && !pressed("styles"))) return;
  const chars = new Map(), needed = [];
  for (const part of Document.prototype.querySelectorAll.call(opened, `[${MARK}]`)) {
    for (let above = part; above; above = above.parentElement) {
      chars.set(above, (chars.get(above) || 0) + part.textContent.length);
    }
  }
  const half = (chars.get(opened.documentElement) || 0) / 2;
  for (const [one, held] of chars) {
    const computed = getComputedStyle(one), parent = one.parentElement, trunk = held > half;
    const lies = !["static", "relative"].includes(computed.position), values = {};
    if (lies && !trunk) continue;
    if (computed.opacity < 0.1) values.opacity = 1;
    if (computed.visibility === "hidden" && !(parent && getComputedStyle(parent).visibility === "hidden")) values.visibility = "visible";
    if (trunk) {
      if (computed.display === "none") values.display = "block";
      if (lies) values.position = "static";
      if (lies || computed.overflowY !== "visible") Object.assign(values, {overflow: "visible", height: "auto", "max-height": "none"});
    }
    needed.push([one, values]);
  }
  for (const [one, values] of needed) {
    for (const name of Object.keys(values)) one.style.setProperty(name, values[name], "important");
  }
}

function tint() {
  const opened = inside();
  if (opened) opened.documentElement.classList.toggle("pagelets-tinted", pressed("tint"));
}

function paint() {
  const opened = inside();
  if (!opened || !view) return;
  for (const part of Document.prototype.querySelectorAll.call(opened, `[${MARK}]`)) {
    const position = Number(part.getAttribute(MARK)), block = view.blocks[position];
    if (!block) continue;
    const flip = signOf(position);
    const unsure = block.unsure && flip === undefined ? " unsure" : "";
    part.setAttribute(VERDICT, (kept(position) ? "kept" : "removed") + unsure);
  }
  select(current, false);
}

function partAt(event) {
  const opened = inside();
  if (!opened) return null;
  const box = frame.getBoundingClientRect();
  const place = [event.clientX - box.left, event.clientY - box.top];
  // What shows nothing may lie over the page, where the style sheet is missing that would hold it.
  return Document.prototype.elementsFromPoint.apply(opened, place).find((one) => one.hasAttribute(MARK)) || null;
}

function blockAt(event) {
  const found = partAt(event);
  return found ? Number(found.getAttribute(MARK)) : -1;
}

// ---- Verdicts

function signOf(position) {
  const own = flips[url];
  return own && own.version === view.version ? own.signs[position] : undefined;
}

function kept(position) {
  const flip = signOf(position);
  return flip === undefined ? view.blocks[position].kept : flip;
}

function verdictOf(position) {
  const block = view.blocks[position];
  const flip = signOf(position);
  const lines = [`${block.kept ? "Kept" : "Removed"}: ${block.why}`];
  if (block.evidence) lines.push(block.evidence);
  if (flip !== undefined) lines.push(`You say: ${flip ? "keep" : "remove"}`);
  return lines;
}

function containerChain(position) {
  const chain = [];
  let place = view.blocks[position].container;
  while (place < view.containers.length) {
    chain.push(view.containers[place]);
    if (view.containers[place].parent === place) break;
    place = view.containers[place].parent;
  }
  // One that holds the same blocks as that inside it is no step.
  return chain.filter((one, index) => one.stop - one.start > (index ? chain[index - 1].stop - chain[index - 1].start : 1));
}

function selectedBlocks() {
  if (current < 0) return [];
  if (level < 0) return [current];
  const held = containerChain(current)[level], found = [];
  for (let position = held.start; position < Math.min(held.stop, view.blocks.length); position += 1) found.push(position);
  return found;
}

function select(position, scroll = true) {
  if (position !== current) { level = -1; sign = null; before = null; }
  current = position;
  const opened = inside();
  if (opened) {
    for (const part of Document.prototype.querySelectorAll.call(opened, `[${SELECTED}]`)) part.removeAttribute(SELECTED);
    for (const one of selectedBlocks()) for (const part of marked(one)) part.setAttribute(SELECTED, "");
  }
  showVerdict();
  markList();
  if (!scroll || position < 0) return;
  const part = marked(position)[0];
  if (!part) return;
  for (let above = part; above; above = above.parentElement) if (above.localName === "details") above.open = true;
  const box = part.getBoundingClientRect();
  stage.scrollTo({top: box.top - stage.clientHeight / 3, behavior: "auto"});
  if (box.left < 0 || box.right > stage.clientWidth) frame.contentWindow.scrollBy(box.left - stage.clientWidth / 3, 0);
}

function showVerdict() {
  const shown = find("verdict");
  if (current < 0 || !view) return;
  const block = view.blocks[current], lines = verdictOf(current);
  const parts = lines.map((line, index) => element("p", line, index ? "" : block.kept ? "kept" : "removed"));
  parts.push(element("p", block.text || "(a picture)"));
  if (level >= 0) {
    const held = containerChain(current)[level];
    parts.push(element("p", `Container: ${held.label}, ${held.stop - held.start} blocks`));
  }
  if (block.selector) parts.push(copyable(block));
  if (!embedded && block.text) {
    const link = element("a", "Other pages with this text");
    link.href = `${root}/alike?${new URLSearchParams({site, url, block: current})}`;
    parts.push(element("p"));
    parts.at(-1).append(link, " ", pickButton());
  }
  shown.replaceChildren(...parts);
}

function copyable(block) {
  const line = element("p");
  const toml = `${block.kept ? "drop" : "keep"} = [${JSON.stringify(block.selector)}]`;
  line.append(element("code", block.selector), " ");
  for (const [name, text] of [["Copy selector", block.selector], ["Copy TOML line", toml]]) {
    const button = element("button", name);
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text).catch(() => { window.prompt(name, text); });
      button.textContent = "Copied";
    });
    line.append(button, " ");
  }
  if (!embedded) {
    const button = element("button", `Try ${block.kept ? "dropping" : "keeping"} it`);
    button.addEventListener("click", () => {
      showTab("try");
      forms.try.elements[block.kept ? "drop" : "keep"].value = block.selector;
      forms.try.requestSubmit();
    });
    line.append(button, " ");
  }
  return line;
}

function pickButton() {
  const button = element("button", "Take it as a field");
  button.addEventListener("click", () => pick(current));
  return button;
}

function step(to, wanted) {
  const count = view.blocks.length;
  let position = current < 0 && to < 0 ? count : current;
  for (let tried = 0; tried < count; tried += 1) {
    position = (position + to + count) % count;
    if (wanted(view.blocks[position], position)) { select(position); return; }
  }
}

// ---- Beside the page

function markList() {
  for (const item of document.querySelectorAll(".blocks [aria-current]")) item.removeAttribute("aria-current");
  const item = document.querySelector(`.blocks [data-position="${current}"]`);
  if (item) { item.setAttribute("aria-current", "true"); item.scrollIntoView({block: "nearest"}); }
}

function blockList() {
  const list = element("ol", undefined, "blocks");
  view.blocks.forEach((block, position) => {
    const flip = signOf(position);
    const item = element("li", undefined, `${kept(position) ? "kept" : "removed"}${flip === undefined ? "" : " flipped"}`);
    item.dataset.position = position;
    const said = `${kept(position) ? "kept" : "removed"}${flip === undefined ? "" : ", by you"}: `;
    const button = element("button", said + (block.text || "(a picture)").slice(0, 120));
    button.addEventListener("click", () => select(position));
    item.append(button);
    list.append(item);
  });
  return list;
}

function fieldList() {
  const list = element("dl");
  for (const [name, value] of Object.entries(view.document)) {
    if (["text", "html", "markdown"].includes(name)) continue;
    list.append(element("dt", name), element("dd", typeof value === "string" ? value : JSON.stringify(value)));
  }
  return list;
}

const forms = {};

// A form keeps what was written into it while another tab is shown.
function showForm(name, begin) {
  const isNew = !(name in forms);
  if (isNew) forms[name] = find(`${name}-form`).content.firstElementChild.cloneNode(true);
  if (!forms[name].isConnected) find("panel").replaceChildren(forms[name]);
  if (isNew) begin(forms[name]);
}

function showTab(name) {
  shownTab = document.body.dataset.tab = name;
  for (const tab of document.querySelectorAll("[role=tab]")) {
    const chosen = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", chosen);
    tab.tabIndex = chosen ? 0 : -1;
  }
  const panel = find("panel");
  panel.setAttribute("aria-labelledby", `tab-${name}`);
  if (!view) return;
  if (name === "try") { showForm(name, beginTrying); return; }
  if (name === "pick") { showForm(name, beginPicking); return; }
  const texts = {text: view.document.text, markdown: view.document.markdown, html: view.document.html};
  panel.replaceChildren(name === "blocks" ? blockList() : name === "fields" ? fieldList() : element("pre", texts[name]));
  markList();
}

// ---- Teaching

const store = () => `inspector ${root} ${site}`;

function remember() {
  for (const address of Object.keys(flips)) if (!Object.keys(flips[address].signs).length) delete flips[address];
  sessionStorage.setItem(store(), JSON.stringify(flips));
  const pages = Object.keys(flips).length;
  const blocks = Object.values(flips).reduce((sum, page) => sum + Object.keys(page.signs).length, 0);
  find("counter").textContent = blocks ? `${blocks} blocks on ${pages} pages are said to be wrong.`
    : "Click a block to say that it is judged wrongly.";
  for (const name of ["preview", "apply", "clear"]) find(name).disabled = !blocks || job !== null;
}

function setSigns() {
  const own = flips[url] && flips[url].version === view.version ? flips[url] : {version: view.version, signs: {}};
  own.signs = {...before};
  for (const position of selectedBlocks()) {
    if (!view.blocks[position].text) continue;
    if (view.blocks[position].kept === sign) delete own.signs[position];
    else own.signs[position] = sign;
  }
  flips[url] = own;
  remember();
  paint();
  showTab(shownTab);
}

function flip(position) {
  if (embedded || position < 0) return;
  select(position, false);
  level = -1;
  before = {...((flips[url] && flips[url].version === view.version && flips[url].signs) || {})};
  sign = !kept(position);
  setSigns();
}

function widen(by) {
  if (current < 0) return;
  const most = containerChain(current).length - 1;
  level = Math.max(-1, Math.min(most, level + by));
  if (sign !== null && before !== null) setSigns();
  else select(current, false);
}

function takeBack() {
  if (before === null || !flips[url]) return;
  flips[url].signs = before;
  before = sign = null;
  level = -1;
  remember();
  paint();
  showTab(shownTab);
}

async function ask(path, options) {
  let answer, told;
  try {
    answer = await fetch(root + path, options);
    told = await answer.json();
  } catch {
    // It has ended; or it was started anew, and refuses the old token by a page.
    throw new Error("The inspector does not answer here any more. Open the address that scrapy inspect prints.");
  }
  if (!answer.ok) throw new Error(told.error);
  return told;
}

const look = (path, values) => ask(`${path}?${new URLSearchParams(values)}`, {headers: {Accept: "application/json"}});
const send = (path, values) =>
  ask(path, {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(values)});

let running = Promise.resolve();

// Another preview takes the place of one that is at work.
function run(path, values, show) {
  if (job !== null) send("/job/cancel", {id: job}).catch(() => {});
  running = running.then(() => runNow(path, values, show));
  return running;
}

async function runNow(path, values, show) {
  const outcome = find("outcome"), progress = find("progress");
  try {
    outcome.textContent = "";
    job = (await send(path, values)).job;
    progress.hidden = find("cancel").hidden = false;
    remember();
    for (;;) {
      const told = await look("/job", {id: job});
      if (told.total) { progress.max = told.total; progress.value = told.done; }
      if (told.result && !told.ended) await show(told.result);
      if (told.ended) {
        if (told.error) throw new Error(told.error);
        await show(told.result);
        break;
      }
      await new Promise((wake) => { setTimeout(wake, 200); });
    }
  } catch (error) {
    outcome.replaceChildren(element("p", error.message, "problem"));
  } finally {
    job = null;
    progress.hidden = find("cancel").hidden = true;
    progress.removeAttribute("value");
    remember();
  }
}

function pageLink(address) {
  const link = element("a", address);
  link.href = `${root}/page?${new URLSearchParams({site, url: address})}`;
  return link;
}

function changedBlock(block) {
  const item = element("li", `${block.comes ? "comes" : "goes"}, ${block.words} words: ${block.text.slice(0, 100)} `,
    block.comes ? "kept" : "removed");
  item.append(pageLink(block.url));
  return item;
}

function showPreview(found) {
  const about = found.looked_at < found.documents ? "about " : "";
  const parts = [element("p", `${about}${found.changed} of ${found.documents} documents would change; ` +
    `words: ${about}${found.gone} would go, ${about}${found.come} would come.`)];
  if (found.f1 && found.f1[0] !== null) {
    parts.push(element("p", `F1 on the taught pages: ${found.f1[0].toFixed(3)}, then ${found.f1[1].toFixed(3)}.`));
  }
  const {before: now = {}, weights: then = {}} = found;
  for (const name of Object.keys({...now, ...then}).filter((name) => now[name] !== then[name])) {
    parts.push(element("p", `${name}: ${now[name] ?? "nothing"}, then ${then[name] ?? "nothing"}`));
  }
  for (const address of found.missing || []) {
    parts.push(element("p", `Not learned from, as no page that can be taught is stored there now: ${address}`, "problem"));
  }
  if (found.decided) {
    parts.push(element("p", `Blocks that selectors or templates decide, whatever is taught: ${found.decided}.`, "problem"));
  }
  if (found.unheeded) {
    parts.push(element("p", `Blocks of the taught pages that would still be judged against their signs: ${found.unheeded}.`, "problem"));
  }
  for (const one of found.classes) {
    const details = element("details"), sample = element("ul");
    details.append(element("summary", `Pages like ${one.pattern || "no other"}: ${one.changed} of ${one.looked_at} change; ` +
      `words: ${one.gone} go, ${one.come} come`), sample);
    sample.append(...one.samples.map(changedBlock));
    parts.push(details);
  }
  const list = element("ul");
  list.append(...found.blocks.map(changedBlock));
  for (const page of found.losing) {
    const item = element("li", `would lose more than half of its words, ${page.words} to ${page.words_left}: `, "problem");
    item.append(pageLink(page.url));
    list.append(item);
  }
  parts.push(list);
  find("outcome").replaceChildren(...parts);
}

const asked = () => ({site, file, pages: flips});

// What was flipped while that was at work is not taught yet, and stays.
function applied(result, sent) {
  for (const [address, {signs}] of Object.entries(sent)) {
    const own = flips[address]?.signs ?? {};
    for (const position of Object.keys(signs)) if (own[position] === signs[position]) delete own[position];
  }
  return judgedAnew(result);
}

function apply() {
  const sent = structuredClone(flips);
  return run("/teach/apply", {site, file, pages: sent}, (result) => applied(result, sent));
}

async function judgedAnew(result) {
  before = sign = null;
  await read();
  load();
  find("outcome").replaceChildren(element("p", `Done: ${result.changed} documents are judged otherwise.`));
}

function showNext(result) {
  const list = element("ul");
  for (const address of result.urls) { const item = element("li"); item.append(pageLink(address)); list.append(item); }
  find("outcome").replaceChildren(element("p", result.urls.length ? "Correct these next:" : "No page is left to correct."), list);
}

// ---- Trying out

const tried = () => Object.fromEntries([...new FormData(forms.try)].filter(([, value]) => value.trim()));

function showTrial(found) {
  const parts = [], list = element("ul");
  if (found.pages) {
    parts.push(element("p", `${found.changed} of ${found.documents} documents would change; characters: ` +
      `${found.gone} would go, ${found.come} would come; templates: ${found.templates_gone.length} would go, ` +
      `${found.templates_come.length} would come.`));
    for (const page of found.pages) {
      const item = element("li", `${page.gone} go, ${page.come} come: `);
      item.append(pageLink(page.url));
      list.append(item);
    }
  } else {
    parts.push(element("p", `${found.chars} characters, then ${found.tried_chars}; ${found.blocks.length} blocks would change.`));
    for (const block of found.blocks) {
      list.append(element("li", `${block.comes ? "comes" : "goes"} (${block.reason ?? "no block"}, then ` +
        `${block.tried_reason ?? "no block"}): ${block.text.slice(0, 120)}`, block.comes ? "kept" : "removed"));
    }
  }
  if (found.looked_at < found.documents) parts.push(element("p", `Estimated from ${found.looked_at} of ${found.documents} documents.`));
  for (const line of found.approximated || []) parts.push(element("p", `At once, for this page alone; ${line}.`));
  for (const selector of found.unmet) parts.push(element("p", `${selector} matches nothing here.`, "problem"));
  find("outcome").replaceChildren(...parts, list);
}

function showComparison(found) {
  const table = element("table"), head = element("tr"), shares = element("tr");
  head.append(element("th", "Block"), ...found.methods.map((one) => element("th", one.name)));
  shares.append(element("td", "Share kept"), ...found.methods.map((one) => element("td", `${Math.round(100 * one.share)} %`)));
  table.append(head, shares);
  for (const block of found.blocks.slice(0, 1000)) {
    if (!block.text) continue;
    const row = element("tr");
    row.append(element("td", block.text.slice(0, 80)),
      ...block.kept.map((keep) => element("td", keep ? "kept" : "removed", keep ? "kept" : "removed")));
    table.append(row);
  }
  find("outcome").replaceChildren(table);
}

// Writes to the site file, in the order of clicks: each change names the text that it is of.
function write(path, values, said) {
  running = running.then(async () => {
    const outcome = find("outcome");
    try {
      const told = await send(path, {site, file, ...values});
      file = told.file;
      outcome.replaceChildren(element("p", `Done: ${said(told)}`));
    } catch (error) {
      outcome.replaceChildren(element("p", error.message, "problem"));
    }
  });
  return running;
}

const fromNextCrawl = (told) => `${told.path} has it. It holds from the next crawl on.`;

// What was chosen for kinds of blocks, by their names.
function triedKinds() {
  const chosen = [...document.querySelectorAll("select.kind")].filter((one) => one.value);
  return Object.fromEntries(chosen.map((one) => [one.name, one.value]));
}

async function writeSelector() {
  const {keep, drop} = tried(), kinds = triedKinds();
  if (!keep && !drop && !Object.keys(kinds).length) {
    find("outcome").replaceChildren(element("p", "Give a selector to keep or to drop, or keep or drop a kind, such as bylines.", "problem"));
  }
  for (const [kind, selector] of Object.entries({keep, drop})) {
    if (selector) await write("/select", {kind, selector}, fromNextCrawl);
  }
  if (Object.keys(kinds).length) await write("/kinds", kinds, fromNextCrawl);
}

function beginUndo(form) {
  form.querySelector(".undo-file").addEventListener("click", () => write("/undo", {}, (told) => `${told.path} is as it was before.`));
}

function beginTrying(form) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run("/try", {site, url, ...tried()}, showTrial);
  });
  on("try-site", () => {
    const asked = tried(), kinds = triedKinds();
    const others = Object.keys(asked).filter((name) => name !== "all" && !(name in kinds));
    if (Object.keys(kinds).length && !others.length) run("/kinds/preview", {site, ...kinds}, showPreview);
    else run("/try", {site, ...asked}, showTrial);
  });
  on("compare", () => {
    const {method} = tried();
    run("/compare", {site, url, ...(method ? {methods: method.split(/[ ,]+/)} : {})}, showComparison);
  });
  on("write", writeSelector);
  beginUndo(form);
}

// ---- Picking a field

let picked = null, click = null;

function shortly(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)} …` : text;
}

function pick(position, text = "") {
  if (embedded || position < 0) return;
  if (shownTab !== "pick") showTab("pick");
  select(position, false);
  click = {version: view.version, block: position, text};
  lookFor();
}

function lookFor() {
  if (click) run("/field/pick", {site, url, ...click, type: forms.pick.elements.type.value}, showCandidates);
}

function showCandidates(found) {
  if (!found.candidates) return;
  picked = found;
  const form = forms.pick, list = form.elements.candidates;
  if (!form.elements.name.value || form.elements.name.dataset.ours === form.elements.name.value) {
    form.elements.name.value = form.elements.name.dataset.ours = found.name;
  }
  form.elements.type.value = found.type;
  const rows = found.candidates.map((one, at) => {
    const label = element("label"), choice = element("input");
    choice.type = "radio";
    choice.name = "candidate";
    choice.checked = at === 0;
    choice.addEventListener("change", () => choose(one));
    label.append(choice, " ", element("code", one.given.css || one.given.xpath),
      ` on ${one.pages} of ${found.pages} pages, ${one.places} places: ${one.values.map(shortly).join(", ")}`);
    return label;
  });
  list.replaceChildren(list.firstElementChild, ...rows);
  list.hidden = false;
  choose(found.candidates[0]);
}

function choose(one) {
  forms.pick.elements.selector.value = one.given.css || one.given.xpath;
  showValues();
}

// The field as [extract] describes it: of a candidate, or of a selector that was written by hand.
function describedField() {
  const {selector, type, many} = forms.pick.elements, text = selector.value.trim();
  const own = picked && picked.candidates.find((one) => (one.given.css || one.given.xpath) === text);
  const given = own ? {...own.given} : {[/^[(/]/.test(text) ? "xpath" : "css"]: text};
  delete given.type;
  if (type.value && type.value !== "text") given.type = type.value;
  if (many.checked) given.many = true;
  return given;
}

function showValues() {
  const name = forms.pick.elements.name.value.trim() || "value_of_this_field";
  run("/field/preview", {site, url, name, given: describedField(), match: matched()}, showField);
}

const matched = () => forms.pick.elements.match.value.trim();

function showField(found) {
  if (!found.values) return;
  const of = matched() ? `${found.looked_at} pages whose address has ${matched()}`
    : found.looked_at < found.documents ? `${found.looked_at} pages that were looked at, of ${found.documents}` : `${found.documents} pages`;
  const table = element("table"), head = element("tr");
  head.append(element("th", "Page"), element("th", "Value"));
  table.append(head);
  const rows = [...found.values.map((one) => [one.url, element("td", shortly(one.value), "kept")]),
    ...found.without.map((address) => [address, element("td", "missing", "removed")])];
  for (const [address, value] of rows) {
    const row = element("tr"), cell = element("td");
    cell.append(pageLink(address));
    row.append(cell, value);
    table.append(row);
  }
  const said = element("p", `Found on ${found.found} of ${of}, missing on ${found.missing}. `);
  if (found.match) said.append(onlyButton(found.match));
  find("outcome").replaceChildren(said, element("code", found.line, "lines"), table);
}

function onlyButton(part) {
  const button = element("button", `Only where the address has ${part}`);
  button.addEventListener("click", () => { forms.pick.elements.match.value = part; showValues(); });
  return button;
}

function beginPicking(form) {
  form.addEventListener("submit", (event) => { event.preventDefault(); showValues(); });
  form.elements.type.addEventListener("change", lookFor);
  on("write-field", () => write("/field/write", {name: form.elements.name.value.trim(), given: describedField(), match: matched()},
    (told) => `${told.path} has ${told.line.replaceAll("\n", " ")}. Documents have it from the next crawl on, which takes it from the stored pages.`));
  beginUndo(form);
}

// ---- Keys and buttons

function toggle(name, then) {
  const button = find(name);
  if (!button) return;
  button.setAttribute("aria-pressed", String(!pressed(name)));
  then();
}

function help() {
  const shown = find("keys").hidden;
  find("keys").hidden = !shown;
  find("help").setAttribute("aria-expanded", String(shown));
}

const follow = (name) => { const link = find(name); if (link && !link.hidden) link.click(); };
const isRemoved = (_, position) => !kept(position) && Boolean(view.blocks[position].text);
const isUnsure = (block) => block.unsure;
const actions = {
  n: () => follow("after"), p: () => follow("before"),
  r: () => step(1, isRemoved), R: () => step(-1, isRemoved),
  u: () => step(1, isUnsure), U: () => step(-1, isUnsure),
  j: () => step(1, () => true), k: () => step(-1, () => true),
  t: () => toggle("tint", tint), i: () => toggle("images", load), s: () => toggle("styles", load),
  f: () => flip(current), x: () => pick(current), "?": help, Escape: takeBack,
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !view) return;
  const where = event.target;
  if (["INPUT", "SELECT", "TEXTAREA"].includes(where.tagName)) return;
  if (where.getAttribute("role") === "tab" && /^Arrow(Left|Right)$/.test(event.key)) {
    const tabs = [...document.querySelectorAll("[role=tab]")];
    const next = tabs[(tabs.indexOf(where) + (event.key === "ArrowRight" ? 1 : tabs.length - 1)) % tabs.length];
    next.focus();
    next.click();
    return;
  }
  if (/^Arrow(Up|Down)$/.test(event.key) && (where === stage || where === document.body) && current >= 0) {
    event.preventDefault();
    widen(event.key === "ArrowUp" ? 1 : -1);
  } else if (Object.hasOwn(actions, event.key)) {
    event.preventDefault();
    actions[event.key]();
  }
});

cover.addEventListener("mousemove", (event) => {
  const position = view ? blockAt(event) : -1;
  tip.hidden = position < 0 || position >= view.blocks.length;
  if (tip.hidden) return;
  tip.replaceChildren(...verdictOf(position).map((line) => element("div", line)));
  const box = stage.getBoundingClientRect();
  tip.style.left = `${Math.min(event.clientX - box.left + 12, Math.max(stage.clientWidth - 300, 0))}px`;
  tip.style.top = `${event.clientY - box.top + stage.scrollTop + 16}px`;
});
// A page may be wider than its frame, which gets no wheel beneath the cover.
cover.addEventListener("wheel", (event) => frame.contentWindow.scrollBy(event.deltaX, 0), {passive: true});
cover.addEventListener("mouseleave", () => { tip.hidden = true; });
cover.addEventListener("click", (event) => {
  const position = view ? blockAt(event) : -1;
  if (position < 0 || position >= view.blocks.length) return;
  stage.focus({preventScroll: true});
  if (embedded) select(position, false);
  else if (shownTab === "pick") pick(position, partAt(event).textContent);
  else flip(position);
});
frame.addEventListener("load", () => { reveal(); fit(); tint(); paint(); });
new ResizeObserver(fit).observe(stage);

function on(name, action) {
  const button = find(name);
  if (button) button.addEventListener("click", action);
}
on("tint", actions.t); on("images", actions.i); on("styles", actions.s); on("help", help);
on("removed", actions.r); on("unsure", actions.u);
on("preview", () => run("/teach/preview", asked(), showPreview));
on("apply", apply);
on("undo", () => run("/teach/undo", {site, file}, judgedAnew));
on("next-pages", () => run("/teach/next", {site}, showNext));
on("clear", () => { flips = {}; before = sign = null; remember(); paint(); showTab(shownTab); });
on("cancel", () => { if (job !== null) send("/job/cancel", {id: job}).catch(() => {}); });
for (const tab of document.querySelectorAll("[role=tab]")) {
  tab.addEventListener("click", () => showTab(tab.id.slice("tab-".length)));
}

// ---- Begin

function show() {
  const stats = view.explanation.stats;
  const flags = stats.flags.length ? ` Flags: ${stats.flags.join(", ")}.` : "";
  const cut = view.blocks.length < stats.blocks ? ` The first ${view.blocks.length} blocks are shown.` : "";
  find("summary").textContent = `${view.explanation.title || "Without a title"} · kept ${stats.chars_kept} of ${stats.chars} characters, ` +
    `${stats.blocks_kept} of ${stats.blocks} blocks, by ${view.method}.${flags}${cut}`;
  for (const name of ["before", "after"]) {
    const link = find(name);
    if (!link) continue;
    link.hidden = !view[name];
    if (view[name]) link.href = `${root}/page?${new URLSearchParams({site, url: view[name]})}`;
  }
  showTab(shownTab);
  paint();
}

async function read() {
  const told = await look("/page", {site, url});
  // The block that is told of stays, and what is told of it follows.
  if (view?.version !== told.view.version) current = -1;
  view = told.view;
  file = told.file;
  if (flips[url] && flips[url].version !== view.version) delete flips[url];
  remember();
  show();
}

const embeddedData = embedded ? JSON.parse(embedded.textContent) : null;
if (embedded) {
  view = embeddedData.view;
  show();
} else {
  try { flips = JSON.parse(sessionStorage.getItem(store())) || {}; } catch { flips = {}; }
  read().catch((error) => {
    find("summary").textContent = `This page cannot be shown: ${error.message}`;
    find("summary").className = "summary problem";
  });
}
load();
})();
