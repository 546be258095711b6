// A card for each failure: what, where, the case, the line that runs it again, and the pictures.

function fact(list, label, ...content) {
  list.append(make("dt", {}, label), make("dd", {}, ...content));
}

function placeWords(failure, evidence) {
  const parts = [];
  if (failure.tensor) parts.push(failure.tensor);
  if (evidence.rank >= 0) parts.push(`rank ${evidence.rank}`);
  if (evidence.shard >= 0) parts.push(`shard ${evidence.shard}`);
  if (evidence.index && evidence.index.length) parts.push(`index (${evidence.index.join(", ")})`);
  return parts.join(", ");
}

function errorWords(evidence) {
  const times = evidence.bound > 0 && evidence.error !== null ? `, ${brief(evidence.error / evidence.bound)} × the bound` : "";
  return `${brief(evidence.error)} where ${brief(evidence.bound)} is allowed${times}`;
}

function evidenceFacts(failure, result) {
  const list = make("dl", { class: "facts" });
  const evidence = result.evidence;
  if (failure.known !== null) fact(list, "known", failure.known);
  if (evidence) {
    if (evidence.message) fact(list, "what", evidence.message);
    const place = placeWords(failure, evidence);
    if (place) fact(list, "where", place);
    if (evidence.expected) fact(list, "expected", make("code", {}, evidence.expected));
    if (evidence.got) fact(list, "got", make("code", {}, evidence.got));
    if (evidence.error !== 0 || evidence.bound !== 0) fact(list, "error", errorWords(evidence));
  }
  if (result.case) fact(list, "case", caseWords(result.case));
  if (!failure.shrunk_to_end) fact(list, "note", "a smaller case may exist: the time was up");
  if (failure.drawn) fact(list, "drawn as", make("code", { class: "dim" }, failure.drawn));
  return list;
}

function caseWords(text) {
  return make("span", { class: "case" }, text.split(" ").map((word) => {
    const [key, ...value] = word.split("=");
    return make("code", {}, make("span", { class: "dim" }, `${key}=`), value.join("="));
  }));
}

// The clipboard's own way is not there in every browser for a page from a disk.
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = make("textarea", { class: "spoken", readonly: true });
    field.value = text;
    const focused = document.activeElement;
    document.body.append(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    if (focused) focused.focus();
    return copied;
  }
}

function replayLine(failure) {
  if (!failure.again) return null;
  const button = make("button", { type: "button", class: "copy" }, "Copy");
  button.addEventListener("click", async () => {
    const copied = await copyText(failure.again);
    button.textContent = copied ? "Copied" : "Not copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  return make("div", { class: "again" }, make("code", {}, failure.again), button);
}

function sumWords(sum, matrix) {
  const faults = matrix ? faultsOf(matrix) : 0;
  const moved = matrix && matrix.rows.flat().some(([fate]) => fate === "delivered");
  if (sum.ok && !faults) return "";
  if (sum.ok) return moved ? ": right sum, wrong owner" : ": the shards are wrong, and cancel";
  return moved ? ": wrong owner and wrong sum" : ": wrong value";
}

function sumLine(sum, matrices) {
  const words = sumWords(sum, matrices.find((matrix) => matrix.name === sum.name));
  const size = ` (error ${brief(sum.error)}, bound ${brief(sum.bound)})`;
  return make("li", {}, make("strong", {}, sum.name), ": the sum over ranks is ",
    make("span", { class: sum.ok ? "pass" : "fail" }, sum.ok ? "right" : "wrong"), size,
    make("strong", {}, words));
}

function sumsList(picture) {
  const lines = picture.sums.map((sum) => sumLine(sum, picture.matrices));
  const wrong = picture.queries.filter((check) => !check.ok);
  for (const check of wrong) {
    lines.push(make("li", {}, make("strong", {}, check.name), " is ", make("span", { class: "fail" }, "wrong"),
      ` (error ${brief(check.error)}, bound ${brief(check.bound)})`));
  }
  if (picture.queries.length && !wrong.length) {
    lines.push(make("li", {}, make("strong", {}, "dQ"), " is ", make("span", { class: "pass" }, "right"), " on every rank"));
  }
  if (picture.first_step) lines.push(make("li", { class: "first-step" }, picture.first_step));
  lines.push(...picture.notes.map((note) => make("li", { class: "dim" }, note)));
  return lines.length ? make("ul", { class: "sums" }, lines) : null;
}

function pictureOf(data, picture) {
  if (picture.same_as !== null) {
    const other = data.report.results[data.failures[picture.same_as].result];
    return make("p", { class: "dim" }, "The same case, with the same pictures: ",
      make("a", { href: `#failure-${picture.same_as}` }, other.property), ".");
  }
  if (picture.why_none) return make("p", { class: "dim" }, `No picture: ${picture.why_none}.`);
  return make("div", { class: "picture" },
    picture.matrices.length ? make("h4", {}, "Where contributions ended up") : null,
    heatMaps(picture.matrices), sumsList(picture), errorFigures(picture.errors));
}

// What a link leads to is open.
function openNamed() {
  const card = document.getElementById(location.hash.slice(1));
  if (card && card.matches(".failure")) card.open = true;
}

const OPEN_AT_FIRST = 8;

function failureCard(data, failure, number) {
  const result = data.report.results[failure.result];
  const verdict = VERDICTS[result.verdict].name;
  return make("details", { class: `failure ${result.verdict}`, id: `failure-${number}`, open: number < OPEN_AT_FIRST },
    make("summary", {},
      make("h3", {}, make("span", { class: `badge ${result.verdict}` }, verdict), " ", result.property),
      make("span", { class: "stream" }, "in ", make("strong", {}, failure.stream))),
    make("p", { class: "explains" }, data.explains[result.property]),
    evidenceFacts(failure, result), replayLine(failure), pictureOf(data, failure.picture));
}
