// For each implementation the largest error by ring degree and dtype, as a share of its bound: what
// climbs with the degree loses digits with every step of the ring.

const VALUES = ["output_matches_reference", "lse_matches_reference", "gradients_match_reference"];
const MARKS = ["circle", "square", "triangle", "diamond"];

function implementationKey(result) {
  return [result.impl, result.backend, result.transport].join("\n");
}

// Degree -> share, over the properties of values; null is infinite. What failed is judged no further: of a degree that
// it did not come to nothing is known, unless another property failed there.
function worstByDegree(results) {
  const worst = new Map();
  for (const result of results) {
    for (const [degree, share] of Object.entries(result.by_ring_degree)) {
      const before = worst.get(Number(degree));
      const isWorst = before === undefined || (before !== null && (share === null || share > before));
      if (isWorst) worst.set(Number(degree), share);
    }
  }
  const stopped = results.filter(({ verdict }) => verdict === "fail" || verdict === "known");
  for (const [degree, share] of worst) {
    const isUnknown = stopped.some((result) => !(degree in result.by_ring_degree));
    if (isUnknown && share !== null && share <= 1) worst.set(degree, undefined);
  }
  return worst;
}

function grouped(list, key) {
  const groups = new Map();
  for (const item of list) groups.set(key(item), [...(groups.get(key(item)) || []), item]);
  return groups;
}

// [{key, title, degrees, series: [{dtype, worst}]}], those with two degrees or more.
function degreePlots(data) {
  const results = data.report.results.filter((result) => VALUES.includes(result.property));
  return [...grouped(results, implementationKey).values()].map((own) => {
    const series = [...grouped(own, (result) => result.dtype)].map(([dtype, of]) => ({ dtype, worst: worstByDegree(of) }));
    const degrees = [...new Set(series.flatMap(({ worst }) => [...worst.keys()]))].sort((a, b) => a - b);
    const { impl, backend, transport } = own[0];
    return { key: implementationKey(own[0]), title: `${impl} on ${backend}, ${transport}`, degrees, series };
  }).filter((plot) => plot.degrees.length > 1);
}

function markOf(kind, x, y) {
  const shapes = {
    circle: `M${x - 3},${y} a3,3 0 1,0 6,0 a3,3 0 1,0 -6,0`,
    square: `M${x - 3},${y - 3} h6 v6 h-6 z`,
    triangle: `M${x},${y - 4} l4,7 h-8 z`,
    diamond: `M${x},${y - 4} l4,4 l-4,4 l-4,-4 z`,
  };
  return shapes[kind];
}

// Where the degree stands, of all.
function columnOf(degrees, i) {
  return 14 + i * Math.max(30, 280 / (degrees.length - 1));
}

function degreeSeries({ dtype, worst }, degrees, scale, i) {
  const kind = MARKS[i % MARKS.length];
  const points = degrees.filter((degree) => worst.get(degree) !== undefined).map((degree) => {
    const share = worst.get(degree);
    return { degree, share, x: columnOf(degrees, degrees.indexOf(degree)), y: 100 - 96 * scale.place(share) };
  });
  const group = drawn("g", { class: `series ${kind}`, "data-dtype": dtype });
  group.append(drawn("polyline", { points: points.map(({ x, y }) => `${x},${y}`).join(" ") }));
  for (const { degree, share, x, y } of points) {
    const bounds = share === null || share > 1 ? "over" : "under";
    group.append(drawn("path", { d: markOf(kind, x, y), class: bounds },
      drawn("title", {}, `${dtype}, ring degree ${degree}: ${brief(share)} of its bound`)));
  }
  return group;
}

function degreeTable({ degrees, series }) {
  const words = (share) => share === undefined ? "–" : brief(share);
  return make("table", { class: "degrees" },
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "ring degree"),
      degrees.map((degree) => make("th", { scope: "col", class: "number" }, String(degree))))),
    make("tbody", {}, series.map(({ dtype, worst }, i) => make("tr", {},
      make("th", { scope: "row" }, signOf(i), ` ${dtype}`),
      degrees.map((degree) => make("td", { class: "number" }, words(worst.get(degree))))))));
}

function signOf(i) {
  const svg = drawn("svg", { viewBox: "0 0 12 12", class: "sign", "aria-hidden": true });
  svg.append(drawn("path", { d: markOf(MARKS[i % MARKS.length], 6, 6), class: "under" }));
  return svg;
}

function degreeFigure(plot) {
  const scale = errorScale(plot.series.flatMap(({ worst }) => [...worst.values()]).filter((share) => share !== undefined));
  const width = 14 + columnOf(plot.degrees, plot.degrees.length - 1);
  const svg = drawn("svg", { viewBox: `0 0 ${width} 100`, "aria-hidden": true });
  const y = 100 - 96 * scale.place(1);
  svg.append(drawn("line", { x1: 0, x2: width, y1: y, y2: y, class: "limit" }));
  plot.series.forEach((series, i) => svg.append(degreeSeries(series, plot.degrees, scale, i)));
  return make("figure", { class: "by-degree" }, make("figcaption", {}, make("strong", {}, plot.title)),
    make("div", { class: "plot" }, svg), degreeTable(plot));
}

// [{key, element}], by implementation.
function degreeFigures(data) {
  return degreePlots(data).map((plot) => ({ key: plot.key, element: degreeFigure(plot) }));
}

function degreeSection(figures) {
  return section("degrees", "Error by ring degree",
    make("p", { class: "dim" }, "The largest error of out, lse and gradients as a share of its bound (the line), on a logarithmic axis. " +
      "What failed at one degree is judged no further, and a degree without all three is left out (–)."),
    make("div", { class: "figures" }, figures.map(({ element }) => element)));
}
