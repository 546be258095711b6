// The page: a head, the filter, and the parts that it hides and shows.

const data = JSON.parse(document.getElementById("data").textContent);

function countOf(verdict) {
  return data.report.results.filter((result) => result.verdict === verdict).length;
}

function outcome() {
  const [failed, known] = [countOf("fail"), countOf("known")];
  if (failed) return { kind: "fail", words: `${plural(failed, "failure")}${known ? `, ${known} known` : ""}` };
  if (data.unchecked.length) return { kind: "not_run", words: "Not everything could be checked" };
  return { kind: "pass", words: known ? `Held, ${plural(known, "known failure")} aside` : "Everything held" };
}

function head() {
  const { kind, words } = outcome();
  const cases = data.report.streams.reduce((sum, stream) => sum + stream.cases, 0);
  const runs = data.report.streams.reduce((sum, stream) => sum + stream.runs, 0);
  const facts = [`attncheck ${data.report.attncheck}`, `LibTorch ${data.report.libtorch}`, `seed ${data.report.seed}`,
    plural(data.report.streams.length, "subject"), plural(cases, "case"), plural(runs, "run"),
    data.seconds ? `${data.seconds.toFixed(1)} s` : "", `exit ${data.exit}`].filter(Boolean);
  return make("header", {}, make("h1", { class: kind }, words), make("p", { class: "dim" }, facts.join(" · ")));
}

const state = { words: [], verdicts: new Set() };

function shown(result) {
  if (state.verdicts.size && !state.verdicts.has(result.verdict)) return false;
  const text = [result.impl, result.backend, result.transport, result.dtype, result.property,
    VERDICTS[result.verdict].name].join(" ").toLowerCase();
  return state.words.every((word) => text.includes(word));
}

function verdictButtons(update) {
  return Object.keys(VERDICTS).filter((verdict) => countOf(verdict) > 0).map((verdict) => {
    const button = make("button", { type: "button", class: `toggle ${verdict}`, "aria-pressed": "false", "data-verdict": verdict },
      `${VERDICTS[verdict].name} `, make("span", { class: "dim" }, String(countOf(verdict))));
    button.addEventListener("click", () => {
      const on = !state.verdicts.has(verdict);
      if (on) state.verdicts.add(verdict);
      else state.verdicts.delete(verdict);
      button.setAttribute("aria-pressed", String(on));
      update();
    });
    return button;
  });
}

function tools(update) {
  const field = make("input", { id: "filter", type: "search", placeholder: "ring f64 gradients", autocomplete: "off", spellcheck: "false" });
  field.addEventListener("input", () => {
    state.words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    update();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target === field || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
  });
  return make("search", { class: "tools" },
    make("label", { for: "filter" }, "Filter ", make("kbd", { title: "this key goes to the filter" }, "/")), field,
    make("span", { class: "toggles" }, verdictButtons(update)),
    make("output", { id: "count", for: "filter", class: "dim" }));
}

function section(id, title, ...content) {
  return make("section", { id, "aria-labelledby": `${id}-title` }, make("h2", { id: `${id}-title` }, title), ...content);
}

function hide(element, hidden) {
  element.hidden = hidden;
}

function filterProperties(made, results) {
  const keys = new Set(results.map(streamKey));
  const properties = new Set(results.map((result) => result.property));
  for (const entry of made.entries) hide(entry.element, !properties.has(entry.row.property));
  const before = made.headings.length;
  for (const row of made.table.rows) {
    made.streams.forEach(({ key }, i) => hide(row.cells[before + i], !keys.has(key)));
  }
}

// A page of timelines alone.
function showTimelines() {
  document.getElementById("page").append(make("header", {}, make("h1", {}, "Timeline"),
    make("p", { class: "dim" }, `attncheck ${data.attncheck} · LibTorch ${data.libtorch}`)), timelineSection(data.timelines));
}

function showReport() {
  const cards = data.failures.map((failure, i) => ({
    failure, result: data.report.results[failure.result], element: failureCard(data, failure, i),
  }));
  const ids = new Map(cards.map(({ result, element }) => [result, element.id]));
  const subjects = subjectsTable(data);
  const properties = propertiesTable(data, ids);
  const degrees = degreeFigures(data);
  const noneShown = make("p", { class: "dim", hidden: true }, "None of the failures matches the filter.");
  const update = () => {
    const results = data.report.results.filter(shown);
    const keys = new Set(results.map(streamKey));
    for (const entry of subjects.entries) hide(entry.element, !keys.has(streamKey(entry.row)));
    for (const { result, element } of cards) hide(element, !shown(result));
    hide(noneShown, cards.length === 0 || cards.some(({ result }) => shown(result)));
    filterProperties(properties, results);
    const implementations = new Set(results.map(implementationKey));
    for (const { key, element } of degrees) hide(element, !implementations.has(key));
    const all = data.report.results.length;
    document.getElementById("count").textContent =
      results.length === all ? `${all} results` : `${results.length} of ${all} results`;
  };
  document.getElementById("page").append(head(), tools(update),
    section("subjects", "Subjects", scrolled("subjects", subjects.table)));
  const page = document.getElementById("page");
  if (data.unchecked.length) {
    page.append(section("unchecked", "Not checked", make("ul", {}, data.unchecked.map((line) => make("li", {}, line)))));
  }
  if (cards.length) page.append(section("failures", "Failures", cards.map(({ element }) => element), noneShown));
  if (degrees.length) page.append(degreeSection(degrees));
  if (data.timelines.length) page.append(timelineSection(data.timelines));
  page.append(section("properties", "Properties", verdictLegend(), scrolled("properties", properties.table)));
  update();
  addEventListener("hashchange", openNamed);
  openNamed();
}

const showOfBench = { methods: showMethods, peers: showMethods, scale: showPredictions, harness: showBudgets };

if (data.report) showReport();
else if (data.bench) showOfBench[data.bench.bench](data.bench);
else showTimelines();
