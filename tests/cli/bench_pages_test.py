"""What benchmarks draw, in a browser: bench_pages_test.py PROGRAM"""

import json
import os
import subprocess
import unittest

from browsed import BrowsedPages, data_of, program

PROGRAM = None


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=240)


class BenchPages(BrowsedPages):
    def timelines(self):
        return self.browser.run("""return [...document.querySelectorAll("figure.timeline")].map((figure) => ({
            title: figure.querySelector("figcaption").textContent,
            lanes: [...figure.querySelectorAll(".lanes span")].map((e) => e.textContent),
            spans: [...figure.querySelectorAll("rect.span")].map((e) => e.getAttribute("class").split(" ")[1]),
            ends: [...figure.querySelectorAll("rect.span")].map((e) => e.x.baseVal.value + e.width.baseVal.value),
            arrows: [...figure.querySelectorAll(".arrow")].map((e) => [e.dataset.from, e.dataset.to].map(Number)),
            rows: [...figure.querySelectorAll("tbody tr")].map((row) => [...row.cells].map((c) => c.textContent))}))""")

    def test_what_the_built_in_methods_do_when_is_drawn(self):
        page = self.path("report.html")
        done = run("check", "--quiet", "--transport", "sim", "--dtype", "f64", "--cases", "2", "--corpus", "none",
                   "--impl", "ring,unified", "--backend", "math", "--mesh", "2x1,4x1", "--html", page)
        self.assertIn(done.returncode, (0, 3), done.stderr)  # 3: so few cases leave cells empty
        self.open(page)
        figures = self.timelines()
        self.assertEqual([f["title"].split("impl=")[1].split("mesh")[0] for f in figures], ["ring", "unified"])
        for figure, data in zip(figures, data_of(page)["timelines"], strict=True):
            self.assertIn("predicted, in virtual time", figure["title"])
            self.assertEqual(figure["lanes"], ["rank 0", "rank 1", "rank 2", "rank 3", "path"])
            self.assertEqual(len(figure["rows"]), 4)
            drawn = [s for s in data["spans"] if s[3] > s[2] or s[1] == "post"] + data["path"]
            self.assertEqual(len(figure["spans"]), len(drawn))
            self.assertTrue({"forward", "backward", "post", "wait", "transfer"} <= set(figure["spans"]))
            self.assertAlmostEqual(max(figure["ends"]), 1000, delta=1)
            self.assertEqual({rank for arrow in figure["arrows"] for rank in arrow}, {0, 1, 2, 3})

    def test_a_mesh_that_does_not_divide_the_usual_length_is_drawn_as_well(self):
        page = self.path("three.html")
        done = run("check", "--quiet", "--transport", "sim", "--dtype", "f64", "--cases", "2", "--corpus", "none",
                   "--impl", "ring", "--backend", "math", "--mesh", "3x1", "--html", page)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.open(page)
        (figure,) = self.timelines()
        self.assertEqual(figure["lanes"], ["rank 0", "rank 1", "rank 2", "path"])

    def test_a_flag_of_another_bench_is_refused(self):
        for bench, flag in [("scale", "--trace"), ("harness", "--dtype"), ("methods", "--trace"), ("timeline", "--json"),
                            ("methods", "--links"), ("timeline", "--impl"), ("scale", "--budget"), ("harness", "--world")]:
            path = self.path("unused")
            done = run("bench", bench, flag, {"--links": "nvlink,ib", "--world": "2"}.get(flag, path))
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"{flag}: bench {bench} has no use for it", done.stderr)
            self.assertFalse(os.path.exists(path))

    def test_a_measured_timeline_is_a_page_of_its_own(self):
        page = self.path("timeline.html")
        case = "impl=unified mesh=2x2 q=256 h=4 d=16 dtype=f32 transport=gloo rotate=p2p return_lse=0"
        done = run("bench", "timeline", "--case", case, "--html", page)
        self.assertEqual(done.returncode, 0, done.stderr)
        for width in (1280, 400):
            self.open(page, width)
            self.assertEqual(self.browser.complaints(), [])
            self.assertEqual(self.browser.requests(), ["file://" + page])
            self.assertEqual(self.browser.run("return document.documentElement.scrollWidth"), width)
        figure, = self.timelines()
        self.assertIn("measured, in wall time", figure["title"])
        self.assertEqual({tuple(arrow) for arrow in figure["arrows"]},
                         {(0, 2), (2, 0), (1, 3), (3, 1), (0, 1), (1, 0), (2, 3), (3, 2)})

    def test_times_of_methods_are_bars(self):
        page, path = self.path("methods.html"), self.path("methods.json")
        done = run("bench", "methods", "--quiet", "--transport", "gloo", "--world", "4", "--repetitions", "2",
                   "--lengths", "64,126", "--heads", "4", "--causal", "--dtype", "f32", "--html", page, "--json", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        for width in (1280, 400):
            self.open(page, width)
            self.assertEqual(self.browser.complaints(), [])
            self.assertEqual(self.browser.run("return document.documentElement.scrollWidth"), width)
        figures = self.browser.run("""return [...document.querySelectorAll("figure.methods")].map((figure) => ({
            bars: [...figure.querySelectorAll(".bar-of")].map((bar) => bar.width.baseVal.value),
            bounds: figure.querySelectorAll(".method .limit").length,
            rows: [...figure.querySelectorAll("tbody tr")].map((row) => [...row.cells].map((c) => c.textContent))}))""")
        with open(path) as file:
            shapes = json.load(file)["shapes"]
        self.assertEqual(len(figures), 4)  # two lengths, forward and backward
        passes = [(shape["passes"], direction) for shape in shapes for direction in ("forward", "backward")]
        for figure, (rows, direction) in zip(figures, passes, strict=True):
            percents = [row[direction]["percent"]["median"] for row in rows]
            for bar, percent in zip(figure["bars"], percents, strict=True):
                self.assertAlmostEqual(bar / figure["bars"][0], percent / percents[0], delta=0.01)
            self.assertEqual(figure["bounds"], 4)  # ring and unified, each by all-gather and by send/receive
            self.assertIn("as in theory", figure["rows"][1][-1])
        exchanges = self.browser.run("""return [...document.querySelectorAll("figure.exchanges")].map((figure) =>
            [...figure.querySelectorAll("tbody tr")].map((row) => row.cells[0].textContent))""")
        self.assertEqual(exchanges, 2 * [["all_gather", "all_to_all", "send_recv"]])
        titles = self.browser.run("return [...document.querySelectorAll('h2')].map((title) => title.textContent)")
        self.assertIn("flux, 64 tokens, 4 heads (4 of k and v) of 128, causal", titles)
        self.assertIn("flux, 128 tokens (126 asked for), 4 heads (4 of k and v) of 128, causal", titles)

    def test_a_report_at_a_link_goes_where_the_link_leads(self):
        link, real = self.path("link.json"), self.path("real.json")
        for exists in (False, True):
            if os.path.lexists(link):
                os.remove(link)
            os.symlink(real, link)
            done = run("bench", "scale", "--quiet", "--shapes", "flux", "--world", "2", "--json", link)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(os.path.islink(link), exists)
            with open(real) as file:
                self.assertEqual(json.load(file)["bench"], "scale", exists)
        os.remove(real)
        done = run("bench", "scale", "--quiet", "--shapes", "flux", "--world", "2", "--json", link, "--html", real)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("are one file", done.stderr)

    def opened(self, bench, *arguments):
        """The JSON report of a bench, and its page at both widths."""
        page, path = self.path(f"{bench}.html"), self.path(f"{bench}.json")
        done = run("bench", bench, "--quiet", "--html", page, "--json", path, *arguments)
        self.assertIn(done.returncode, (0, 1), done.stderr)  # 1: a budget is missed, which is a matter of the machine
        for width in (1280, 400):
            self.open(page, width)
            self.assertEqual(self.browser.complaints(), [])
            self.assertEqual(self.browser.requests(), ["file://" + page])
            self.assertEqual(self.browser.run("return document.documentElement.scrollWidth"), width)
        with open(path) as file:
            report = json.load(file)
        self.assertEqual(report["bench"], bench)
        return report

    def bars(self, kind):
        return self.browser.run("""return [...document.querySelectorAll("figure.methods")].map((figure) =>
            [...figure.querySelectorAll(arguments[0])].map((bar) => [bar.x.baseVal.value, bar.width.baseVal.value]))""", kind)

    def test_predictions_are_bars_that_end_in_what_waits(self):
        rows = self.opened("scale", "--shapes", "flux", "--world", "4,8")["rows"]
        figures = list(zip(self.bars("rect.bar-of"), self.bars("rect.waiting"), strict=True))
        self.assertEqual(len(figures), 2)
        for world, (whole, waiting) in zip((4, 8), figures, strict=True):
            table = [row for row in rows if row["world"] == world]
            slowest = max(row["seconds"] for row in table)
            for row, bar, end in zip(table, whole, waiting, strict=True):
                self.assertAlmostEqual(bar[1] / 600, row["seconds"] / slowest, delta=0.001)
                self.assertAlmostEqual(end[1] / 600, row["waited_seconds"] / slowest, delta=0.001)
                self.assertAlmostEqual(sum(end), bar[1], delta=0.1)

    def test_budgets_are_bars_up_to_the_line_of_what_is_allowed(self):
        budgets = self.opened("harness", "--budget", "observed_run,large_world", "--repetitions", "2")["budgets"]
        ((*bars,),) = self.bars("rect.bar-of")
        self.assertEqual(len(bars), 2)
        for budget, bar in zip(budgets, bars, strict=True):
            self.assertAlmostEqual(bar[1], min(600, 300 * budget["ratio"] / budget["budget"]), delta=0.1)
        verdicts = self.browser.run("""return [...document.querySelectorAll("figure.budgets tbody tr")].map(
            (row) => row.cells[1].textContent.split(" ")[1])""")
        self.assertEqual(verdicts, [budget["verdict"] for budget in budgets])


if __name__ == "__main__":
    PROGRAM = program()
    unittest.main()
