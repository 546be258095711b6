// The error along the sequence, as a share of its bound on a logarithmic axis: what stands above
// the line is out of bounds.

const LEAST_SHARE = 1e-3;

function errorScale(shares) {
  const finite = shares.filter((share) => share !== null);
  const most = Math.max(10, ...finite);
  const [low, high] = [Math.log10(LEAST_SHARE), Math.log10(most) + 0.2];
  const place = (share) => share === null ? 1 : (Math.log10(Math.max(share, LEAST_SHARE)) - low) / (high - low);
  return { place, most: finite.length ? Math.max(...finite) : null };
}

// Runs of tokens of one rank: [{owner, first, count}].
function shardRuns(owners) {
  const runs = [];
  owners.forEach((owner, i) => {
    const last = runs[runs.length - 1];
    if (last && last.owner === owner) last.count += 1;
    else runs.push({ owner, first: i, count: 1 });
  });
  return runs;
}

function errorBar(errors, scale, i) {
  const share = errors.share[i];
  const height = 100 * scale.place(share);
  const kind = share === null ? "infinite" : share > 1 ? "over" : "under";
  const tokens = errors.step === 1 ? `token ${i}` : `tokens ${i * errors.step} and on`;
  const words = `${tokens}, rank ${errors.owner[i]}: error ${brief(errors.error[i])}, ${brief(share)} of its bound`;
  return drawn("rect", { x: i + 0.08, y: 100 - height, width: 0.84, height, class: kind },
    drawn("title", {}, words));
}

function errorChart(errors, runs, scale) {
  const count = errors.share.length;
  const svg = drawn("svg", { viewBox: `0 0 ${count} 100`, preserveAspectRatio: "none", "aria-hidden": true });
  runs.forEach((run, i) => {
    svg.append(drawn("rect", { x: run.first, y: 0, width: run.count, height: 100, class: `shard ${i % 2 ? "odd" : "even"}` }));
  });
  errors.share.forEach((_, i) => svg.append(errorBar(errors, scale, i)));
  runs.slice(1).forEach((run) => {
    svg.append(drawn("line", { x1: run.first, x2: run.first, y1: 0, y2: 100, class: "border" }));
  });
  return svg;
}

const MOST_RUNS_NAMED = 16;

function shardLabels(runs) {
  const labels = make("div", { class: "shards" });
  if (runs.length > MOST_RUNS_NAMED) return labels;
  labels.style.gridTemplateColumns = runs.map((run) => `${run.count}fr`).join(" ");
  labels.append(...runs.map((run, i) => make("span", {}, i === 0 ? `rank ${run.owner}` : String(run.owner))));
  return labels;
}

function errorSummary(errors, scale) {
  const over = errors.share.filter((share) => share === null || share > 1).length;
  const infinite = errors.share.includes(null);
  const worst = infinite ? "not finite" : `at most ${brief(scale.most)} × bound`;
  if (scale.most === 0 && !infinite) return "equal to the last bit";
  const places = errors.step === 1 ? plural(errors.tokens, "token") : `${errors.share.length} stretches of tokens`;
  return over ? `${over} of ${places} out of bounds; ${worst}` : `within bounds; ${worst}`;
}

function errorFigure(errors) {
  const scale = errorScale(errors.share);
  const runs = shardRuns(errors.owner);
  const over = errors.share.some((share) => share === null || share > 1);
  const line = make("div", { class: "bound" }, make("span", {}, "bound"));
  line.style.insetBlockEnd = `${100 * scale.place(1)}%`;
  return make("figure", { class: "errors", "data-tensor": errors.tensor },
    make("figcaption", {}, make("strong", {}, errors.tensor), " ",
      make("span", { class: over ? "fail" : "dim" }, errorSummary(errors, scale))),
    make("div", { class: "chart" }, errorChart(errors, runs, scale), line), shardLabels(runs));
}

function errorFigures(list) {
  if (list.length === 0) return null;
  return make("div", {}, make("h4", {}, "Error along the sequence, by the rank that holds it (logarithmic)"),
    make("div", { class: "figures" }, list.map(errorFigure)));
}
