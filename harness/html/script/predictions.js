// Predictions for many ranks: by shape and world a bar for each method and mesh, its milliseconds with
// those of them that wait for exchanges.

function predictionBar(row, scale, i) {
  const waited = scale(row.waited_seconds);
  const words = `${methodName(row)}: ${brief(1e3 * row.seconds)} ms, ${percent(row.waited_seconds / row.seconds)} of it waiting`;
  return drawn("g", { class: "method", "data-method": methodName(row) }, drawn("title", {}, words),
    bar("bar-of", i, 0, scale(row.seconds)), bar("waiting", i, scale(row.seconds) - waited, scale(row.seconds)));
}

function predictionTable(rows) {
  const fastest = Math.min(...rows.map((row) => row.seconds));
  return plainTable([["method", methodName], ["ms", (row) => brief(1e3 * row.seconds)],
    ["not hidden", (row) => percent(row.waited_seconds / row.seconds)], ["kernel ms", (row) => brief(1e3 * row.kernel_seconds)],
    ["GB received", (row) => brief(row.received_bytes / 1e9)],
    ["of the fastest", (row) => `${brief(row.seconds / fastest)} x`]], rows);
}

function predictionSection(rows, i) {
  const { shape, world, tokens } = rows[0];
  const predicted = rows.filter((row) => row.seconds !== undefined);
  const scale = (seconds) => BARS * seconds / Math.max(...predicted.map((row) => row.seconds));
  const refused = rows.filter((row) => row.not_predicted);
  return section(`shape-${i}`, `${shape} on ${plural(world, "rank")}, ${tokens} tokens`,
    make("figure", { class: "methods predictions" },
      make("figcaption", {}, make("strong", {}, "ms"), " of one layer, forward and backward; the end of a bar is what waits for exchanges"),
      barChart(`ms on ${world} ranks`, predicted.map(methodName), (at) => predictionBar(predicted[at], scale, at)),
      scrolled(`predictions for ${shape} on ${world} ranks`, predictionTable(predicted))),
    make("ul", {}, refused.map((row) => make("li", {}, `${methodName(row)} is not predicted: ${row.not_predicted}`))));
}

function linkWords(link) {
  return `${link.name} (${brief(1e6 * link.latency_seconds)} us, ${brief(link.bytes_per_second / 1e9)} GB/s)`;
}

// A page of predictions alone.
function showPredictions(report) {
  const tables = new Map();
  for (const row of report.rows) {
    const key = `${row.shape} ${row.world}`;
    tables.set(key, [...(tables.get(key) || []), row]);
  }
  const { inside, across, node, flops_per_second } = report.machine;
  const facts = [`${plural(node, "rank")} a node on ${linkWords(inside)}`, `nodes on ${linkWords(across)}`,
    `${brief(flops_per_second / 1e12)} TFLOP/s a rank`];
  showBench(report, "Predicted for many ranks", facts, "Predicted by a model of links and kernels, not measured.",
    [...tables.values()].map(predictionSection));
}
