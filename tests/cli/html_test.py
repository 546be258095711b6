"""The report as a page, in a browser: html_test.py PROGRAM"""

import json
import os
import re
import shlex
import subprocess
import unittest

import browser
from browsed import BrowsedPages, data_of, program

PROGRAM = None
# Three subjects, two backends, every property; five failures and more.
MANY = ["check", "--quiet", "--transport", "sim", "--dtype", "f64", "--cases", "8", "--seed", "3"]
MANY += ["--impl", "mutant:A10,ring,unified", "--backend", "math,flash_cpu", "--mesh", "3x1,4x1"]
MANY += ["--corpus", "none"]
REASON = "issue 12 </script><script>document.title = 'taken'</script><!-- <b>& so on"
VALUES = ("output_matches_reference", "lse_matches_reference", "gradients_match_reference")
SHOWN = "[...document.querySelectorAll(arguments[0])].filter((e) => e.checkVisibility())"


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=240)


class Pages(BrowsedPages):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        known = cls.path("known.txt")
        with open(known, "w") as file:
            file.write(f"mesh_does_not_matter | impl=mutant:A10 | {REASON}\n")
        cls.many, cls.json = cls.path("many.html"), cls.path("many.json")
        done = run(*MANY, "--expect", known, "--html", cls.many, "--json", cls.json)
        assert done.returncode == 1, done.stdout + done.stderr

    def shown(self, selector):
        """The texts of what is seen of it."""
        return self.browser.run(f"return {SHOWN}.map((e) => e.textContent)", selector)

    def focused(self):
        return self.browser.run("return document.activeElement.textContent")

    def tab_to(self, selector):
        for _ in range(200):
            self.browser.keys(browser.TAB)
            if self.browser.run("return document.activeElement.matches(arguments[0])", selector):
                return
        self.fail(f"no Tab leads to {selector}")

    def replayed(self, mesh, length):
        page = self.path(f"a10_{mesh}.html")
        case = f"impl=mutant:A10 mesh={mesh} q={length} d=1 seed=17"
        done = run("replay", case, "--property", "gradients_match_reference", "--html", page)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.open(page)

    def matrix(self, name):
        script = """return [...document.querySelectorAll(`[data-matrix=${arguments[0]}] tbody tr`)]
            .map((row) => [...row.querySelectorAll("td > [aria-hidden]")].map((e) => e.textContent))"""
        return self.browser.run(script, name)

    def test_it_holds_what_the_json_report_holds_and_is_small(self):
        with open(self.json) as file:
            report = json.load(file)
        self.assertEqual(data_of(self.many)["report"], report)
        self.assertGreaterEqual(len({r["property"] for r in report["results"]}), 35)
        self.assertGreaterEqual(sum(r["verdict"] == "fail" for r in report["results"]), 5)
        self.assertLess(os.path.getsize(self.many), 2_000_000)

    def test_a_browser_finds_nothing_to_complain_of_and_asks_for_nothing(self):
        self.open(self.many)
        self.assertEqual(self.browser.complaints(), [])
        self.assertEqual(self.browser.requests(), ["file://" + self.many])

    def test_complaints_and_requests_of_another_page_are_seen(self):
        page = self.path("bad.html")
        with open(page, "w") as file:
            file.write("<img src='http://127.0.0.1:9/x.png'><script>throw new Error('no')</script>")
        self.open(page)
        self.assertIn("http://127.0.0.1:9/x.png", self.browser.requests())
        self.assertTrue([line for line in self.browser.complaints() if "Error: no" in line])

    def test_every_failure_has_a_card(self):
        self.open(self.many)
        results = data_of(self.many)["report"]["results"]
        failed = [r["property"] for r in results if r["verdict"] in ("fail", "known")]
        titles = [re.sub("^(failed|known) ", "", t) for t in self.shown(".failure h3")]
        self.assertEqual(titles, failed)
        head = self.shown("h1")[0]
        self.assertIn(f"{sum(r['verdict'] == 'fail' for r in results)} failures", head)

    def test_errors_by_ring_degree_are_those_of_the_json_report(self):
        self.open(self.many)
        figures = self.browser.run("""return [...document.querySelectorAll("figure.by-degree")].map((figure) => ({
            title: figure.querySelector("figcaption").textContent,
            rows: [...figure.querySelectorAll("tr")].map((row) => [...row.cells].map((c) => c.textContent.trim())),
            fits: figure.scrollWidth <= figure.clientWidth,
            over: figure.querySelectorAll(".plot path.over").length,
            points: figure.querySelectorAll(".plot path").length}))""")
        with open(self.json) as file:
            results = json.load(file)["results"]
        worst = {}
        for result in results:
            if result["property"] not in VALUES:
                continue
            stream = f"{result['impl']} on {result['backend']}, {result['transport']}"
            for degree, share in result["by_ring_degree"].items():
                of = worst.setdefault(stream, {})
                of[degree] = max(of.get(degree, 0), share)
        for result in results:  # what failed is judged no further
            stream = f"{result['impl']} on {result['backend']}, {result['transport']}"
            if result["property"] not in VALUES or result["verdict"] not in ("fail", "known"):
                continue
            for degree, share in worst[stream].items():
                if degree not in result["by_ring_degree"] and share <= 1:
                    worst[stream][degree] = None
        self.assertEqual({f["title"] for f in figures}, {s for s, of in worst.items() if len(of) > 1})
        self.assertTrue(any(figure["over"] for figure in figures))
        for figure in figures:
            of = worst[figure["title"]]
            self.assertTrue(figure["fits"])
            self.assertEqual(figure["rows"][0], ["ring degree", *sorted(of, key=int)])
            self.assertEqual(figure["over"], sum(share is not None and share > 1 for share in of.values()))
            self.assertEqual(figure["points"], sum(share is not None for share in of.values()))
            for shown, degree in zip(figure["rows"][1][1:], sorted(of, key=int), strict=True):
                if of[degree] is None:
                    self.assertEqual(shown, "–")
                else:
                    self.assertAlmostEqual(float(shown) / of[degree], 1, delta=0.01)

    def test_words_of_others_stay_text(self):
        page = self.path("named.html")
        name = "<script>document.title = 'taken'</script>"
        with open(self.many) as file:
            text = file.read().replace("mutant:A10", name.replace("<", "\\u003c"))
        with open(page, "w") as file:
            file.write(text)
        self.open(page)
        self.assertEqual(self.browser.complaints(), [])
        self.assertRegex(self.browser.run("return document.title"), "^attncheck .*: report$")
        self.assertIn(name, self.shown("#subject-table tbody th"))
        self.browser.run("document.querySelectorAll('details').forEach((e) => e.open = true)")
        self.assertIn(REASON, self.shown(".facts dd"))
        self.assertEqual(self.browser.run("return document.scripts.length"), 2)

    def test_the_heat_map_shows_which_rank_a_contribution_went_to(self):
        for ranks in (3, 4):
            self.replayed(f"{ranks}x1", ranks)
            self.assertEqual(self.browser.complaints(), [])
            right = [["✓"] * ranks for _ in range(ranks)]
            # The ring goes the other way: what rank i adds to shard j ends as far behind i as the
            # shard lies ahead of it.
            there = [[(2 * i - j) % ranks for j in range(ranks)] for i in range(ranks)]
            moved = [
                ["✓" if rank == j else f"→{rank}" for j, rank in enumerate(row)] for row in there
            ]
            for name, expected in [("out", right), ("dQ", right), ("dK", moved), ("dV", moved)]:
                self.assertEqual(self.matrix(name), expected, f"{name} of {ranks} ranks")
            self.assertIn("right sum, wrong owner", self.shown(".sums")[0])
            self.assertTrue(self.shown(".errors[data-tensor=dk] .fail"))
            self.assertFalse(self.shown(".errors[data-tensor=out] .fail"))

    def test_a_fault_of_dq_stands_in_its_own_map(self):
        page = self.path("a19.html")
        done = run("replay", "impl=mutant:A19 mesh=3x1 q=6 d=2 seed=3", "--html", page)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.open(page)
        self.assertEqual(self.matrix("dQ"), [["∅"] * 3] * 3)
        self.assertEqual(self.shown(".faults li")[0], "dQ of query rank 0 has nothing of key shard 0")
        self.assertEqual(self.matrix("dK"), [["✓"] * 3] * 3)

    def test_the_copy_button_gives_a_line_that_fails_again(self):
        self.open(self.many)
        self.tab_to(".copy")
        self.browser.keys(browser.ENTER)
        self.browser.keys("/", (browser.CONTROL, "v"))
        line = self.browser.run("return document.getElementById('filter').value")
        self.assertEqual(line, data_of(self.many)["failures"][0]["again"])
        words = shlex.split(line)
        self.assertEqual(words[:2], ["attncheck", "replay"])
        self.assertEqual(run(*words[1:]).returncode, 1)

    def test_tables_sort_by_the_keyboard(self):
        self.open(self.many)
        column = "#subject-table tbody td:nth-child(6)"
        before = [int(text) for text in self.shown(column)]
        self.tab_to("#subject-table th:nth-child(6) button")
        self.assertEqual(self.focused(), "failed")
        self.browser.keys(browser.ENTER)
        down = [int(text) for text in self.shown(column)]
        self.assertEqual(down, sorted(before, reverse=True))
        self.assertGreater(down[0], down[-1])
        self.browser.keys(browser.SPACE)
        self.assertEqual([int(text) for text in self.shown(column)], sorted(before))
        self.assertEqual(len(self.shown("#subject-table th[aria-sort=ascending]")), 1)
        self.tab_to("#subject-table th.closest button")
        self.browser.keys(browser.ENTER)  # the closest call first
        self.assertEqual(len(self.shown("#subject-table th.closest[aria-sort=descending]")), 1)

    def test_the_filter_and_the_verdicts_narrow_every_part(self):
        self.open(self.many)
        everything = len(self.shown("#property-table tbody tr"))
        self.browser.keys("/", *"a10 flash_cpu gradients_match")
        self.assertEqual(self.shown("#property-table tbody th"), ["gradients_match_reference"])
        self.assertEqual(self.shown("#subject-table tbody th"), ["mutant:A10"])
        self.assertEqual(len(self.shown(".failure")), 1)
        self.assertEqual(len(self.shown("#property-table th.stream")), 1)
        self.assertEqual(len(self.shown("figure.by-degree")), 1)
        self.assertRegex(self.shown("#count")[0], "^1 of [0-9]+ results$")
        self.browser.keys(browser.ESCAPE)
        self.assertEqual(len(self.shown("#property-table tbody tr")), everything)
        self.tab_to(".toggle[data-verdict=known]")
        self.browser.keys(browser.SPACE)
        self.assertEqual(set(self.shown("#property-table tbody th")), {"mesh_does_not_matter"})
        self.assertEqual({text.split()[0] for text in self.shown(".failure h3")}, {"known"})

    def test_it_fits_a_desk_and_a_hand(self):
        for width in (1280, 400):
            self.open(self.many, width)
            self.browser.run("document.querySelectorAll('details').forEach((e) => e.open = true)")
            self.assertEqual(
                self.browser.run("return document.documentElement.scrollWidth"), width
            )
            # What is wider scrolls in a frame of its own; text is no smaller than can be read.
            sizes = self.browser.run(
                f"return {SHOWN}.map((e) => parseFloat(getComputedStyle(e).fontSize))", "main *"
            )
            self.assertGreaterEqual(min(sizes), 10)


if __name__ == "__main__":
    PROGRAM = program()
    unittest.main()
