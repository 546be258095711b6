// The harness's own budgets: a bar for each ratio as a share of its budget, with its quartiles.

const MOST_OF_BUDGET = 2;  // what is more ends there; the table has it

function budgetSign(budget) {
  return { met: "✓ met", missed: "F missed", not_run: "? not run" }[budget.verdict];
}

function budgetWords(budget) {
  return `${budget.direction} ${brief(budget.budget)}`;
}

function budgetBar(budget, i) {
  const scale = (ratio) => BARS * Math.min(1, ratio / budget.budget / MOST_OF_BUDGET);
  const words = `${budget.name}: ${brief(budget.ratio)} (${brief(budget.low)} to ${brief(budget.high)}), ${budgetWords(budget)}`;
  return drawn("g", { class: `method ${budget.verdict}`, "data-method": budget.name }, drawn("title", {}, words),
    bar("bar-of", i, 0, scale(budget.ratio)),
    whisker(i, scale(budget.low), scale(budget.high)),
    mark("limit", i, scale(budget.budget)));
}

function budgetTable(budgets) {
  const measured = (budget, words) => (budget.ratio === undefined ? "–" : words(budget));
  return plainTable([["budget", (b) => b.name], ["verdict", budgetSign], ["ratio", (b) => measured(b, () => brief(b.ratio))],
    ["spread", (b) => measured(b, () => `${brief(b.low)} to ${brief(b.high)}`)], ["allowed", budgetWords],
    ["repetitions", (b) => measured(b, () => String(b.repetitions))]], budgets);
}

function budgetDetails(budget) {
  return make("li", {}, make("strong", {}, budget.name), `: ${budget.what}; ${budget.details || `not run: ${budget.reason}`}`);
}

// A page of budgets alone.
function showBudgets(report) {
  const measured = report.budgets.filter((budget) => budget.ratio !== undefined);
  const figure = make("figure", { class: "methods budgets" },
    make("figcaption", {}, make("strong", {}, "share of the budget"), ", which is the line; medians of ratios within one run"),
    barChart("budgets", measured.map((budget) => budget.name), (i) => budgetBar(measured[i], i)),
    scrolled("ratios", budgetTable(report.budgets)));
  showBench(report, "Budgets of the harness", [plural(report.cores, "core"), `${report.seconds.toFixed(0)} s`],
    "Ratios of times, taken by turns.",
    [section("budgets", "Ratios", figure), section("details", "What is divided by what", make("ul", {}, report.budgets.map(budgetDetails)))]);
}
