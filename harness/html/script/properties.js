// Every property on every subject.

function propertyRows(data) {
  const rows = new Map();
  data.report.results.forEach((result, i) => {
    if (!rows.has(result.property)) {
      rows.set(result.property, { property: result.property, cells: new Map(), cases: 0, closest: 0, failed: 0 });
    }
    const row = rows.get(result.property);
    row.cells.set(streamKey(result), { result, reason: data.reasons[i] });
    row.cases += result.cases;
    row.failed += result.verdict === "fail" ? 1 : 0;
    if (result.closest && result.verdict === "pass") row.closest = Math.max(row.closest, result.closest.share);
  });
  return [...rows.values()];
}

function cellTitle(data, { result, reason }) {
  const lines = [`${result.property}: ${VERDICTS[result.verdict].name}`,
    `${result.impl}, ${result.backend}, ${result.transport}, ${result.dtype}: ${plural(result.cases, "case")}`];
  if (result.closest) lines.push(`closest call ${percent(result.closest.share)} of the bound`);
  if (reason) lines.push(reason);
  return lines.join("\n");
}

// What held shows how near it came to its bound, in percent.
function cellContent(cell, cards) {
  const { result } = cell;
  const { name, sign } = VERDICTS[result.verdict];
  const card = cards.get(result);
  if (card) return make("a", { href: `#${card}`, "aria-label": name }, sign);
  const measured = result.verdict === "pass" && result.closest && result.closest.share > 0;
  return measured ? String(Math.max(1, Math.round(100 * result.closest.share))) : sign;
}

function propertyCell(data, cards, key, row) {
  const cell = row.cells.get(key);
  if (!cell) return make("td", {});
  const { result } = cell;
  const measured = result.verdict === "pass" && result.closest ? result.closest.share : 0;
  const element = make("td", { class: `verdict ${result.verdict}`, title: cellTitle(data, cell) }, cellContent(cell, cards));
  element.style.setProperty("--share", `${Math.round(100 * Math.min(1, measured))}%`);
  return element;
}

function streamHeading(stream) {
  const words = [stream.impl, stream.backend, stream.transport, stream.dtype].join(" · ");
  return make("th", { scope: "col", class: "stream" }, make("span", { title: words }, words));
}

function propertiesTable(data, cards) {
  const columns = [
    { title: "property", kind: "name", value: (row) => row.property,
      cell: (row) => make("span", { title: data.explains[row.property] }, row.property) },
    { title: "failed", kind: "number", value: (row) => row.failed,
      cell: (row) => make("span", { class: row.failed ? "fail" : "none" }, String(row.failed)) },
    { title: "closest call", kind: "number closest", value: (row) => row.closest,
      cell: (row) => row.closest === 0 ? "–" : shareBar(row.closest) },
  ];
  const made = sortedTable({ id: "property-table" }, columns, propertyRows(data));
  made.streams = data.report.streams.map((stream) => ({ stream, key: streamKey(stream) }));
  made.table.tHead.rows[0].append(...made.streams.map(({ stream }) => streamHeading(stream)));
  for (const entry of made.entries) {
    entry.element.append(...made.streams.map(({ key }) => propertyCell(data, cards, key, entry.row)));
  }
  return made;
}

function verdictLegend() {
  const keys = Object.entries(VERDICTS).map(([verdict, { name, sign }]) =>
    make("span", { class: "key" }, make("span", { class: `verdict ${verdict}` }, sign), name));
  keys.push(make("span", { class: "key" }, make("span", { class: "verdict pass" }, "14"),
    "held, its closest call at 14 % of the bound"));
  return make("p", { class: "legend" }, keys);
}
