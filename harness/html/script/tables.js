// A table whose headings are buttons that sort it: by Enter or Space as by the mouse.

// columns: {title, value(row) to sort by, cell(row), kind}, those whose kind begins with "number" from
// the largest on at first; rows that compare equal stay in order.
function sortedTable(attributes, columns, rows) {
  const body = make("tbody");
  const entries = rows.map((row, place) => ({ row, place, element: rowOf(columns, row) }));
  const headings = columns.map((column) => make("th", { scope: "col", class: column.kind }));
  const order = { column: -1, up: true };
  columns.forEach((column, i) => {
    const sort = () => {
      const first = !(column.kind || "").startsWith("number");
      order.up = order.column === i ? !order.up : first;
      order.column = i;
      entries.sort((a, b) => compared(column, a, b) * (order.up ? 1 : -1) || a.place - b.place);
      body.append(...entries.map((entry) => entry.element));
      headings.forEach((heading) => heading.removeAttribute("aria-sort"));
      headings[i].setAttribute("aria-sort", order.up ? "ascending" : "descending");
    };
    headings[i].append(make("button", { type: "button", onclick: sort }, column.title));
  });
  body.append(...entries.map((entry) => entry.element));
  const table = make("table", attributes, make("thead", {}, make("tr", {}, headings)), body);
  return { table, entries, headings };
}

function compared(column, a, b) {
  const [left, right] = [column.value(a.row), column.value(b.row)];
  if (typeof left === "number") return left - right;
  return String(left).localeCompare(String(right));
}

function rowOf(columns, row) {
  return make("tr", {}, columns.map((column, i) => {
    const content = column.cell ? column.cell(row) : String(column.value(row));
    const heading = i === 0 ? { scope: "row" } : {};
    return make(i === 0 ? "th" : "td", { class: column.kind, ...heading }, content);
  }));
}

// columns: [title, cell(row)], the first one the rows' heading and the others numbers; it does not sort.
function plainTable(columns, rows) {
  return make("table", { class: "degrees" },
    make("thead", {}, make("tr", {}, columns.map(([title]) => make("th", { scope: "col" }, title)))),
    make("tbody", {}, rows.map((row) => make("tr", {}, columns.map(([, cell], i) =>
      make(i === 0 ? "th" : "td", i === 0 ? { scope: "row" } : { class: "number" }, cell(row)))))));
}

// Wide tables scroll by themselves, by the arrow keys too.
function scrolled(label, table) {
  return make("div", { class: "scrolled", tabindex: 0, role: "region", "aria-label": label }, table);
}

function shareBar(share) {
  const bar = make("span", { class: "bar" }, make("span"));
  bar.firstChild.style.inlineSize = `${Math.min(100, 100 * share)}%`;
  return make("span", { class: "share" }, bar, percent(share));
}

function subjectRows(data) {
  const rows = new Map();
  for (const stream of data.report.streams) {
    rows.set(streamKey(stream), { ...stream, counts: {}, closest: 0, nearest: "" });
  }
  for (const result of data.report.results) {
    const row = rows.get(streamKey(result));
    row.counts[result.verdict] = (row.counts[result.verdict] || 0) + 1;
    if (result.closest && result.verdict === "pass" && result.closest.share > row.closest) {
      row.closest = result.closest.share;
      row.nearest = result.property;
    }
  }
  return [...rows.values()];
}

function countColumn(verdict) {
  const value = (row) => row.counts[verdict] || 0;
  const cell = (row) => make("span", { class: value(row) ? verdict : "none" }, String(value(row)));
  return { title: VERDICTS[verdict].name, kind: "number", value, cell };
}

function casesOf(row) {
  return row.out_of_time ? `${row.cases} of ${row.asked}` : String(row.cases);
}

function subjectsTable(data) {
  const columns = [
    { title: "subject", kind: "name", value: (row) => row.impl },
    { title: "backend", value: (row) => row.backend },
    { title: "transport", value: (row) => row.transport },
    { title: "dtype", value: (row) => row.dtype },
    ...["pass", "fail", "known", "not_run", "unsupported"].map(countColumn),
    { title: "cases", kind: "number", value: (row) => row.cases, cell: casesOf },
    {
      title: "closest call",
      kind: "number closest",
      value: (row) => row.closest,
      cell: (row) => row.closest === 0 ? "–" : make("span", { title: row.nearest }, shareBar(row.closest)),
    },
  ];
  return sortedTable({ id: "subject-table" }, columns, subjectRows(data));
}
