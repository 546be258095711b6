// What benchmarks share: a bar for each row beside its name, and the page around them.

const BAR_ROW = 20, BARS = 600;

// draw(i): the i-th bar, BARS wide at most, from i * BAR_ROW down.
function barChart(label, names, draw) {
  const height = names.length * BAR_ROW;
  const svg = drawn("svg", { viewBox: `0 0 ${BARS} ${height}`, preserveAspectRatio: "none", "aria-hidden": true });
  svg.style.blockSize = `${height}px`;
  svg.append(...names.map((name, i) => draw(i)));
  return scrolled(label, make("div", { class: "bars" }, make("div", { class: "names" }, names.map((name) => make("span", {}, name))), svg));
}

function bar(kind, i, from, to) {
  return drawn("rect", { x: from, y: i * BAR_ROW + 3, width: Math.max(0, to - from), height: BAR_ROW - 6, class: kind });
}

// A line across the i-th bar.
function mark(kind, i, x) {
  return drawn("line", { x1: x, x2: x, y1: i * BAR_ROW + 1, y2: (i + 1) * BAR_ROW - 1, class: kind });
}

function whisker(i, low, high) {
  const middle = (i + 0.5) * BAR_ROW;
  return drawn("line", { x1: low, x2: high, y1: middle, y2: middle, class: "whisker" });
}

function showBench(report, title, facts, note, sections) {
  const all = [`attncheck ${report.attncheck}`, `LibTorch ${report.libtorch}`, ...facts];
  document.getElementById("page").append(
    make("header", {}, make("h1", {}, title), make("p", { class: "dim" }, all.join(" · ")), make("p", { class: "dim" }, note)),
    ...sections);
}
