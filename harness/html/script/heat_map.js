// Where contributions ended up: a row by query rank, a column by key shard. Fates are told apart by
// a sign and a pattern; colour comes on top.

const FATES = {
  ok: { sign: () => "✓", means: "once, at its owner" },
  none: { sign: () => "·", means: "none expected" },
  missing: { sign: () => "∅", means: "missing: arrives nowhere" },
  doubled: { sign: () => "×2", means: "doubled: counts twice" },
  delivered: { sign: (at) => `→${at.join("+")}`, means: "misplaced: arrives at rank N; its owner is the rank of the column" },
  wrong: { sign: () => "≠", means: "wrong: no sum of contributions" },
};

function cellWords(name, rank, shard, fate, at) {
  if (name === "out" || name === "dQ") {
    return {
      missing: `${name} of query rank ${rank} has nothing of key shard ${shard}`,
      doubled: `${name} of query rank ${rank} counts key shard ${shard} twice`,
      wrong: `${name} of query rank ${rank} has a wrong value for key shard ${shard}`,
    }[fate];
  }
  const what = `${name}: what query rank ${rank} adds to key shard ${shard}`;
  return {
    missing: `${what} arrives nowhere`,
    doubled: `${what} arrives twice`,
    delivered: `${what} arrives at rank ${at.join(" and ")}; its owner is rank ${shard}`,
    wrong: `${what} has a wrong value`,
  }[fate];
}

function heatCell(name, rank, shard, [fate, at]) {
  const words = cellWords(name, rank, shard, fate, at) ||
    `${name}, query rank ${rank}, key shard ${shard}: ${FATES[fate].means}`;
  return make("td", { class: `fate ${fate}`, title: words, "data-fate": fate },
    make("span", { "aria-hidden": "true" }, FATES[fate].sign(at)),
    make("span", { class: "spoken" }, words));
}

const MAP_TITLES = {
  out: "which key shards each query rank attended to",
  dQ: "which key shards each query rank's dQ has",
  dK: "where each query rank's part of dK arrived",
  dV: "where each query rank's part of dV arrived",
};

function faultsOf(matrix) {
  return matrix.rows.flat().filter(([fate]) => fate !== "ok" && fate !== "none").length;
}

function heatMap(matrix) {
  const world = matrix.rows.length;
  const faults = faultsOf(matrix);
  const caption = make("caption", {}, make("strong", {}, matrix.name), ` ${MAP_TITLES[matrix.name]}: `,
    make("span", { class: faults ? "fail" : "pass" }, faults ? plural(faults, "fault") : "right"));
  const shards = [...Array(world).keys()].map((shard) => make("th", { scope: "col" }, String(shard)));
  const rows = matrix.rows.map((row, rank) => make("tr", {}, make("th", { scope: "row" }, String(rank)),
    row.map((cell, shard) => heatCell(matrix.name, rank, shard, cell))));
  const axis = make("th", { class: "axis" }, "query rank ↓", make("br"), "key shard →");
  return make("table", { class: `heat${world > 8 ? " many" : ""}`, "data-matrix": matrix.name }, caption,
    make("thead", {}, make("tr", {}, axis, shards)), make("tbody", {}, rows));
}

function heatLegend(matrices) {
  const seen = new Set(matrices.flatMap((matrix) => matrix.rows.flat().map(([fate]) => fate)));
  const keys = Object.entries(FATES).filter(([fate]) => seen.has(fate)).map(([fate, { sign, means }]) =>
    make("span", { class: "key" }, make("span", { class: `fate ${fate}` }, sign(["N"])), means));
  return make("p", { class: "legend" }, keys);
}

// A sentence for each fault; dK and dV say theirs alike, and mostly share them.
function faultSentences(matrices) {
  const lines = new Map();
  for (const matrix of matrices) {
    matrix.rows.forEach((row, rank) => row.forEach(([fate, at], shard) => {
      const shared = matrix.name === "dK" || matrix.name === "dV";
      const words = cellWords(shared ? "\n" : matrix.name, rank, shard, fate, at);
      if (words) lines.set(words, [...(lines.get(words) || []), matrix.name]);
    }));
  }
  return [...lines].map(([words, names]) => words.replace("\n", names.join(" and ")));
}

const SHOWN_AT_ONCE = 12;

function faultList(matrices) {
  const lines = faultSentences(matrices).map((line) => make("li", {}, line));
  if (lines.length === 0) return null;
  const rest = lines.splice(SHOWN_AT_ONCE);
  const first = make("ul", { class: "faults" }, lines);
  if (rest.length === 0) return first;
  return make("div", {}, first, make("details", {}, make("summary", {}, `${rest.length} more`),
    make("ul", { class: "faults" }, rest)));
}

function heatMaps(matrices) {
  if (matrices.length === 0) return null;
  return make("div", { class: "maps" },
    make("div", { class: "map-row" }, matrices.map((matrix) =>
      scrolled(`provenance of ${matrix.name}`, heatMap(matrix)))),
    heatLegend(matrices), faultList(matrices));
}
