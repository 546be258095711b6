// Times of methods side by side: for each shape and pass a bar for each method, as percent of what the
// kernel does alone on one rank, with its quartiles and, of a causal ring, what it can have.

function methodName(pass) {
  return [pass.impl === "local" ? "kernel alone" : pass.impl, pass.mesh, pass.rotate].filter((word) => word !== "-").join(" ");
}

function methodBar(pass, direction, scale, i) {
  const { median, low, high } = pass[direction].percent;
  const words = `${methodName(pass)}: ${brief(median)} % of the kernel alone (${brief(low)} to ${brief(high)})`;
  const group = drawn("g", { class: "method", "data-method": methodName(pass) }, drawn("title", {}, words),
    bar("bar-of", i, 0, scale(median)), whisker(i, scale(low), scale(high)));
  if (pass.load_bound) group.append(mark("limit", i, scale(100 * pass.load_bound)));
  return group;
}

function methodChart(passes, direction) {
  const most = Math.max(100, ...passes.map((pass) => pass[direction].percent.high));
  const scale = (percent) => BARS * percent / most;
  return barChart(`${direction} by method`, passes.map(methodName), (i) => methodBar(passes[i], direction, scale, i));
}

function bytesWords(time) {
  if (time.received_bytes === undefined) return "–";
  const theory = time.theory_bytes;
  const size = `${brief(time.received_bytes / 1e6)} MB`;
  if (!theory) return size;
  const right = time.received_bytes >= theory.least && time.received_bytes <= theory.most;
  return right ? `${size}, as in theory` : `${size} where theory has ${brief(theory.most / 1e6)} MB`;
}

// `secondsOf`: the spread of a row.
function timeColumns(secondsOf) {
  const ms = (seconds) => brief(1000 * seconds);
  return [["ms", (row) => ms(secondsOf(row).median)],
    ["quartiles", (row) => `${ms(secondsOf(row).low)} to ${ms(secondsOf(row).high)}`]];
}

function methodTable(passes, direction) {
  const columns = [["method", methodName], ...timeColumns((p) => p[direction].seconds),
    ["% of kernel", (p) => brief(p[direction].percent.median)],
    ["bound", (p) => p.load_bound ? `${brief(100 * p.load_bound)} %` : "–"],
    ["TFLOP/s", (p) => brief(p[direction].flop_per_second / 1e12)],
    ["tokens/s", (p) => brief(p[direction].tokens_per_second)], ["received", (p) => bytesWords(p[direction])]];
  return plainTable(columns, passes);
}

function methodFigure(shape, direction) {
  const passes = shape.passes.filter((pass) => pass[direction]);
  return make("figure", { class: "methods", "data-direction": direction },
    make("figcaption", {}, make("strong", {}, direction), ", percent of what the kernel does alone on one rank"),
    methodChart(passes, direction),
    scrolled(`${direction} times`, methodTable(passes, direction)));
}

function exchangesFigure(exchanges) {
  const columns = [["exchange", (e) => e.exchange], ["MB a rank", (e) => brief(e.bytes / 1e6)],
    ...timeColumns((e) => e.seconds),
    ["algbw GB/s", (e) => brief(e.algbw / 1e9)], ["busbw GB/s", (e) => brief(e.busbw / 1e9)]];
  return make("figure", { class: "exchanges" },
    make("figcaption", {}, make("strong", {}, "exchanges"), " alone, of messages as large as a rank's shard of k"),
    scrolled("exchange times", plainTable(columns, exchanges)));
}

function methodsSection(shape, i) {
  const asked = shape.asked_tokens ? ` (${shape.asked_tokens} asked for)` : "";
  const heads = `${plural(shape.heads, "head")} (${shape.kv_heads} of k and v) of ${shape.head_dim}`;
  const title = `${shape.shape}, ${shape.tokens} tokens${asked}, ${heads}${shape.causal ? ", causal" : ""}`;
  if (shape.not_run) return section(`shape-${i}`, title, make("p", { class: "not_run" }, `not run: ${shape.not_run}`));
  const refused = shape.passes.filter((pass) => pass.not_timed);
  return section(`shape-${i}`, title, methodFigure(shape, "forward"), methodFigure(shape, "backward"),
    shape.exchanges.length ? exchangesFigure(shape.exchanges) : "",
    make("ul", {}, refused.map((pass) => make("li", {}, `${methodName(pass)} is not timed: ${pass.not_timed}`))));
}

// A page of times alone.
function showMethods(times) {
  const packages = Object.entries(times.packages || {}).map(([name, version]) => `${name} ${version}`);
  const facts = [...packages, `${plural(times.ranks, "rank")} over ${times.transport}`, `on ${times.device}`, times.backend,
    times.dtype, `median and quartiles of ${plural(times.repetitions, "repetition")} in turn, each of its slowest rank`];
  const bound = "The line on a bar is what a causal ring can have on contiguous shards, R / (2 R - 1).";
  showBench(times, "Methods side by side", facts, bound, times.shapes.map(methodsSection));
}
