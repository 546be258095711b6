// What each rank did when: a lane for each rank, its transfers below it, arrows from a post to where its
// data was waited for, and the critical path as a lane of its own.

const LANE = 34, BAND = 18, TIMELINE_WIDTH = 1000;
const TIMELINE_KINDS = {
  forward: "computes forward", backward: "computes backward", post: "posts", wait: "waits", transfer: "its transfer is on the way",
};

function spanKind([, kind, , , what]) {
  return kind === "compute" ? what : kind;
}

function timeWords(microseconds) {
  return microseconds >= 10000 ? `${brief(microseconds / 1000)} ms` : `${brief(microseconds)} µs`;
}

function spanTitle(timeline, span) {
  const [rank, kind, begin, end, what, bytes] = span;
  const verb = { compute: "computes", post: "posts", wait: "waits for", transfer: "has on the way:" }[kind];
  const size = kind === "compute" ? "" : `, ${bytes} bytes`;
  return `rank ${rank} ${verb} ${what}${size}: ${timeWords(begin)} to ${timeWords(end)} (${timeWords(end - begin)})`;
}

function spanBox(timeline, span, top, height) {
  const [, , begin, end] = span;
  const x = TIMELINE_WIDTH * begin / timeline.end;
  const width = Math.max(0.6, TIMELINE_WIDTH * (end - begin) / timeline.end);
  return drawn("rect", { x, y: top, width, height, class: `span ${spanKind(span)}` },
    drawn("title", {}, spanTitle(timeline, span)));
}

function laneOf(rank) {
  return rank * LANE + 4;
}

function timelineArrow(timeline, [from, begin, to, end, what]) {
  const at = (time) => TIMELINE_WIDTH * time / timeline.end;
  const down = to > from;
  const start = laneOf(from) + (down ? BAND : 0), stop = laneOf(to) + (down ? 0 : BAND);
  return drawn("path", { d: `M${at(begin)},${start} L${at(end)},${stop}`, class: "arrow", "data-from": from, "data-to": to },
    drawn("title", {}, `${what} from rank ${from} to rank ${to}`));
}

function timelineDrawing(timeline) {
  const lanes = timeline.ranks.length;
  const height = (lanes + 1) * LANE;
  const svg = drawn("svg", { viewBox: `0 0 ${TIMELINE_WIDTH} ${height}`, preserveAspectRatio: "none", "aria-hidden": true });
  svg.style.blockSize = `${height}px`;
  svg.append(...timeline.arrows.map((arrow) => timelineArrow(timeline, arrow)));
  for (const span of timeline.spans) {
    const top = laneOf(span[0]);
    const below = span[1] === "transfer";
    if (span[3] > span[2] || span[1] === "post") svg.append(spanBox(timeline, span, below ? top + BAND + 2 : top, below ? 5 : BAND));
  }
  for (const span of timeline.path) svg.append(spanBox(timeline, span, laneOf(lanes), BAND));
  return svg;
}

function laneNames(timeline) {
  const names = timeline.ranks.map(({ name }) => make("span", { title: name }, name.split(" (")[0]));
  return make("div", { class: "lanes" }, names, make("span", { title: "critical path" }, "path"));
}

const TICKS = 4;

function timeAxis({ end }) {
  const times = Array.from({ length: TICKS + 1 }, (_, i) => end * i / TICKS);
  return make("div", { class: "axis" }, times.map((time) => make("span", {}, time === 0 ? "0" : timeWords(time))));
}

function timelineTable(timeline) {
  const share = (part) => part === null ? "–" : percent(part);
  const columns = [["rank", (r) => r.name], ["compute", (r) => share(r.compute)], ["posts", (r) => share(r.post)],
    ["waited", (r) => share(r.waited)], ["received", (r) => `${brief(r.received / 1000)} kB`], ["not hidden", (r) => share(r.uncovered)]];
  return plainTable(columns, timeline.ranks);
}

function pathWords({ end, path, path_shares: shares }) {
  const ranks = path.map(([rank]) => rank).filter((rank, i, all) => i === 0 || all[i - 1] !== rank);
  const through = ranks.length > 12 ? `${ranks.slice(0, 12).join(", ")}, ...` : ranks.join(", ");
  return `${timeWords(end)}: compute ${percent(shares.compute)}, posts ${percent(shares.post)}, ` +
    `exchanges ${percent(shares.transfer)}; rank ${through}`;
}

function timelineKeys() {
  const keys = Object.entries(TIMELINE_KINDS).map(([kind, words]) => {
    const svg = drawn("svg", { viewBox: "0 0 26 12", class: "swatch", "aria-hidden": true });
    svg.append(drawn("rect", { x: 0, y: kind === "transfer" ? 4 : 0, width: kind === "post" ? 3 : 26, height: kind === "transfer" ? 5 : 12, class: `span ${kind}` }));
    return make("span", { class: "key" }, svg, words);
  });
  return make("p", { class: "legend" }, keys);
}

// The stripes of what is told apart by them.
function timelinePatterns() {
  const stripes = (id, turn) => {
    const pattern = drawn("pattern", { id, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: `rotate(${turn})` });
    pattern.append(drawn("rect", { width: 6, height: 6, class: `ground ${id}` }), drawn("rect", { width: 2, height: 6, class: `stripe ${id}` }));
    return pattern;
  };
  const svg = drawn("svg", { width: 0, height: 0, class: "spoken", "aria-hidden": true });
  const definitions = drawn("defs");
  definitions.append(stripes("stripes-backward", 45), stripes("stripes-wait", 0));
  svg.append(definitions);
  return svg;
}

function timelineFigure(timeline) {
  const left = timeline.all_ranks - timeline.ranks.length;
  const how = timeline.measured ? "measured, in wall time" : "predicted, in virtual time";
  return make("figure", { class: "timeline" },
    make("figcaption", {}, make("strong", {}, how), " ", caseWords(timeline.case)),
    make("div", { class: "scrolled", tabindex: 0, role: "region", "aria-label": "timeline" },
      make("div", { class: "drawing" }, laneNames(timeline), timelineDrawing(timeline), timeAxis(timeline))),
    make("p", {}, make("strong", {}, "critical path"), ` ${pathWords(timeline)}`),
    left > 0 ? make("p", { class: "dim" }, `${plural(left, "rank")} more are not drawn.`) : null,
    make("div", { class: "scrolled", tabindex: 0, role: "region", "aria-label": "by rank" }, timelineTable(timeline)));
}

function timelineSection(timelines) {
  return section("timelines", "What each rank does when", timelinePatterns(), timelineKeys(), timelines.map(timelineFigure));
}
