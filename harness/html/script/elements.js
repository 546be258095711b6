// What all parts of the page are made of. Every word of the data becomes text: never markup.

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

function drawn(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function plural(count, one, many = one + "s") {
  return `${count} ${count === 1 ? one : many}`;
}

function percent(share) {
  const value = 100 * share;
  return value < 10 ? `${Number(value.toPrecision(2))} %` : `${Math.round(value)} %`;
}

// Three digits; what is infinite or no number is null in the data.
function brief(number) {
  if (number === null || number === undefined) return "not finite";
  const size = Math.abs(number);
  if (number === 0 || (size >= 0.001 && size < 100000)) return String(Number(number.toPrecision(3)));
  return number.toExponential(2);
}

const VERDICTS = {
  pass: { name: "held", sign: "✓" },
  fail: { name: "failed", sign: "F" },
  known: { name: "known", sign: "K" },
  not_run: { name: "not run", sign: "?" },
  unsupported: { name: "does not apply", sign: "·" },
};

function streamKey(result) {
  return [result.impl, result.backend, result.transport, result.dtype].join("\n");
}
