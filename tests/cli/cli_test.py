"""Exit codes and messages of the built program: cli_test.py PROGRAM"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None
FOLDER = tempfile.TemporaryDirectory()  # failures are remembered under the working folder
SHORT = ["check", "--quiet", "--transport", "sim", "--dtype", "f64", "--backend", "math"]


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120, cwd=FOLDER.name)


class Exchanges(unittest.TestCase):
    SENDS_FIRST = "impl=mutant:C9 mesh=3x1 q=3 d=1 rotate=p2p"

    def test_a_ring_that_sends_first_ends_in_a_deadlock_that_names_every_rank(self):
        done = run("replay", self.SENDS_FIRST)
        self.assertEqual(done.returncode, 1, done.stderr)
        for rank in range(3):
            self.assertIn(f"rank {rank} waits for send #1 to {(rank + 1) % 3}", done.stdout)
        self.assertEqual(done.stdout.count("not run: "), 1, done.stdout)

    def test_sends_that_are_buffered_do_not(self):
        done = run("replay", self.SENDS_FIRST, "--send-buffer", "4096")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_replay_line_says_how_sends_were_buffered(self):
        done = run("replay", "impl=mutant:A10 mesh=3x1 q=3 d=1", "--send-buffer", "64")
        self.assertIn("d=1' --send-buffer 64\n", done.stdout)

    def test_a_schedule_is_part_of_the_case_and_replays_bit_by_bit(self):
        text = "impl=mutant:house_follows_arrival mesh=4x1 q=4 d=8 schedule=pct:3:17 seed=3"
        first, second = (run("replay", text) for _ in range(2))
        self.assertEqual(first.stdout, second.stdout)
        self.assertEqual(first.returncode, second.returncode)

    def test_one_property_can_be_replayed(self):
        done = run("replay", "impl=ring mesh=2x1 q=2 d=1", "--property", "bytes_match_theory", "--quiet")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertTrue(done.stdout.startswith("1 properties held, 0 failed"), done.stdout)


class Predictions(unittest.TestCase):
    def test_say_what_they_are_and_compare_every_factorisation(self):
        path = os.path.join(FOLDER.name, "scale.json")
        done = run("bench", "scale", "--world", "8", "--shapes", "flux", "--json", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        head, model = done.stdout.splitlines()[:2]
        self.assertRegex(head, r"^attncheck \d\S*, LibTorch \d")
        self.assertTrue(model.startswith("predicted, not measured: "), done.stdout)
        with open(path) as file:
            rows = json.load(file)["rows"]
        self.assertEqual({row["mesh"] for row in rows}, {"8x1", "4x2", "2x4", "1x8"})
        self.assertTrue(all(row["seconds"] > row["kernel_seconds"] for row in rows), rows)


class WrongRequests(unittest.TestCase):
    """Exit 2, one line on stderr, nothing on stdout."""

    def refused(self, *arguments, says):
        done = run(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for part in [says] if isinstance(says, str) else says:
            self.assertIn(part, done.stderr)

    def test_unknown_names_come_with_the_nearest_and_the_list(self):
        self.refused("check", "--impl", "rinG", says=["unknown impl 'rinG'", "'ring'", "ulysses"])
        self.refused("check", "--backend", "mat", says=["unknown backend", "'math'", "flash_cpu"])
        self.refused("check", "--transport", "glo", says=["unknown transport", "sim, gloo, nccl"])
        self.refused("check", "--dtype", "f65", says=["unknown dtype", "'f64'"])
        self.refused(
            "check", "--property", "output_matches", says=["unknown property", "output_matches_reference"]
        )
        self.refused("mutants", "--mutant", "A99", says=["unknown mutant", "A10"])
        self.refused("bench", "harnes", says=["unknown bench", "'harness'"])
        self.refused("bench", "harness", "--budget", "x", says=["unknown budget", "observed_run"])
        self.refused("list", "impl", says=["unknown list", "'impls'"])
        self.refused("chek", says=["unknown command", "'check'"])
        self.refused("replay", "impl=rnig mesh=1x1 q=1 d=1", says=["unknown impl", "'ring'"])
        self.refused("replay", "impl=ring backend=x mesh=1x1 q=1 d=1", says="unknown backend")
        self.refused("replay", "impl=ring transport=x mesh=1x1 q=1 d=1", says="unknown transport")

    def test_schedules(self):
        ring = "impl=ring mesh=3x1 q=6 d=2 schedule="
        for text in ["pct:0:3", "pct:3", "random:", "random:1x", "lifo"]:
            self.refused("replay", ring + text, says=["schedule '" + text + "'", "pct:D:SEED"])
        self.refused("replay", ring + "random:1 transport=gloo", says=["gloo", "schedule= out"])
        self.refused("replay", ring + "rr", "--send-buffer", "-1", says="--send-buffer")

    def test_predictions(self):
        self.refused("bench", "scale", "--links", "nvlink", says=["1 given", "nvlink,ib"])
        self.refused("bench", "scale", "--links", "a,ib", says=["'a' is no link", "ethernet"])
        self.refused("bench", "scale", "--world", "0", says=["--world", "1 to 4096"])
        self.refused("bench", "scale", "--shapes", "fluxx", says=["unknown shape", "'flux'"])

    def test_flags(self):
        self.refused("check", "--nonsense", says="--nonsense")
        self.refused("check", "--cases", "0", says="--cases")
        self.refused("check", "--cases", "many", says="--cases")
        self.refused("check", "--seed", "-1", says="--seed")
        self.refused("check", "--time-limit", "nan", says="--time-limit")
        self.refused("check", "--plugin", "missing.so", says=["--plugin", "missing.so"])
        self.refused("replay", says="case")
        self.refused(says="subcommand")

    def test_shapes(self):
        for arguments, reason in [
            (["--shapes", "flix"], "flux"), (["--scale", "0.5"], "--shapes"), (["--shapes", "flux", "--scale", "0"], "above 0"),
            (["--shapes", "flux", "--scale", "2"], "2"), (["--shapes", "flux", "--impl", "merge:logaddexp"], "--shapes"),
        ]:  # fmt: skip
            self.refused("check", *arguments, says=reason)

    def test_malformed_cases_name_the_column(self):
        self.refused("replay", "impl=ring mesh=2 q=2 d=1", says=["column 11", "RxU"])
        self.refused("explain", "impl=ring mesh=2x1 q=2", says="'d' is missing")
        self.refused("replay", "impl=ring mesh=2x1 q=2 d=1 h=3 hkv=2", says="does not divide")
        self.refused("replay", "impl=ring mesh=2x1 qq=2 d=1", says="unknown key 'qq'")

    def test_meshes_that_do_not_fit(self):
        self.refused("check", "--impl", "ring", "--mesh", "1x2", says=["1x2", "ring"])
        self.refused("check", "--mesh", "2y2", says="RxU")
        self.refused("replay", "impl=ring mesh=1x2 q=2 h=2 d=1", says="ring")
        self.refused("explain", "impl=ulysses mesh=2x1 q=2 h=1 d=1", says="ulysses")

    def test_what_a_backend_cannot_do_names_those_that_can(self):
        self.refused(
            "check", "--impl", "ring", "--backend", "native",
            says=["native returns no log-sum-exp, which a ring needs", "use math, flash_cpu or auto"],
        )  # fmt: skip
        for impl in ["ring", "ulysses", "unified", "allgather_kv"]:
            for backend in ["math", "flash_cpu", "native", "auto"]:
                words = f"impl={impl} backend={backend} mesh=1x1 q=2 d=1 return_lse=0 dropout=0.1"
                self.refused("replay", words, says="dropout is not supported")

    def test_explain_speaks_of_attention_alone(self):
        self.refused("explain", "impl=collective:all_gather mesh=2x1 q=2 d=1", says="none")

    def test_a_report_that_cannot_be_written_is_refused_before_the_run(self):
        self.refused("check", "--json", "/nowhere/at/all.json", says="/nowhere/at/all.json")

    def test_rank_is_not_for_people(self):
        self.refused("rank", says="rank")


class Runs(unittest.TestCase):
    def test_a_right_implementation_holds(self):
        done = run(*SHORT, "--impl", "ring", "--mesh", "2x1,3x1", "--cases", "12")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("ring", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_a_mutant_fails_and_its_case_replays(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.json")
            done = run(
                *SHORT, "--impl", "mutant:A10", "--cases", "20", "--json", path,
                "--property", "gradients_match_reference",
            )  # fmt: skip
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            with open(path) as file:
                report = json.load(file)
        [result] = report["results"]
        self.assertEqual(result["verdict"], "fail")
        self.assertIn("mesh=3x1 q=3 d=1", result["case"])
        self.assertIn(f"attncheck replay '{result['case']}'", done.stdout)
        replays = [run("replay", result["case"]) for _ in range(3)]
        for replay in replays:
            self.assertEqual(replay.returncode, 1, replay.stderr)
            self.assertIn("FAILED gradients_match_reference", replay.stdout)
            self.assertEqual(replay.stdout, replays[0].stdout)

    def test_the_same_seed_gives_the_same_report(self):
        arguments = [*SHORT, "--impl", "unified", "--mesh", "2x2", "--cases", "6", "--seed", "9"]
        first, second = (run(*arguments).stdout.splitlines()[:3] for _ in range(2))
        self.assertEqual(first, second)

    def test_a_case_replays_on_processes(self):
        done = run("replay", "impl=ring transport=gloo mesh=2x1 q=4 d=2 seed=3")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_too_few_cases_for_the_cells_is_not_checked(self):
        done = run(*SHORT, "--impl", "unified", "--cases", "1")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("no case in the cell", done.stdout)

    def test_a_time_limit_that_is_too_short_is_not_checked(self):
        done = run(*SHORT, "--impl", "ring", "--time-limit", "0")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("out of time", done.stdout)

    def test_the_attention_of_a_model_is_checked_at_a_part_of_its_length(self):
        done = run("check", "--quiet", "--shapes", "llama3_8b", "--scale", "0.0001", "--dtype", "f32", "--impl", "ring",
                   "--transport", "sim", "--mesh", "3x1,2x1", "--property", "gradients_match_reference")  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("4 cases", done.stdout)

    def test_a_mutant_is_caught(self):
        done = run("mutants", "--mutant", "A19", "--quiet")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("1 of 1 mutants caught", done.stdout)

    def test_bench_prints_a_ratio_with_its_spread_for_each_budget(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bench.json")
            done = run(
                "bench", "harness", "--quiet", "--repetitions", "3", "--json", path,
                "--budget", "observed_run,large_world,ring",
            )  # fmt: skip
            self.assertIn(done.returncode, [0, 1], done.stderr)
            with open(path) as file:
                report = json.load(file)
        budgets = report["budgets"]
        self.assertEqual([b["name"] for b in budgets], ["observed_run", "large_world", "ring"])
        missed = [b for b in budgets if b["verdict"] == "missed"]
        self.assertEqual(done.returncode, 1 if missed else 0)
        for budget in budgets:
            self.assertGreater(budget["low"], 0)
            self.assertLessEqual(budget["low"], budget["ratio"])
            self.assertLessEqual(budget["ratio"], budget["high"])
            self.assertEqual(budget["repetitions"], 3)
            self.assertEqual(budget["ratio"] <= budget["budget"], budget["verdict"] == "met")
            self.assertIn(budget["name"], done.stdout)

    def test_native_returns_no_log_sum_exp(self):
        done = run(
            "check", "--quiet", "--impl", "ulysses,local", "--backend", "native", "--cases", "40",
            "--transport", "sim", "--dtype", "f64", "--corpus", "none",
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_merges_are_checked_on_one_rank(self):
        done = run("check", "--quiet", "--transport", "sim", "--impl", "merge:logaddexp", "--cases", "6")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("merge:logaddexp", done.stdout)
        case = "impl=mutant:house_merge_takes_the_mean mesh=1x1 q=1 d=1 seed=1"
        self.assertIn("FAILED merge_is_associative", run("replay", case).stdout)
        refused = run("replay", "impl=merge:logaddexp mesh=1x1 q=2 kv=6 d=2")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("kv=6", refused.stderr)

    def test_models_are_checked_by_name_or_all_of_them(self):
        done = run(*SHORT, "--model", "all", "--mesh", "2x1,1x2,2x2", "--cases", "6")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for name in run("list", "models").stdout.split():
            self.assertIn(f"model:{name} ", done.stdout)
        unknown = run("check", "--model", "flux_lik")
        self.assertEqual(unknown.returncode, 2)
        self.assertIn("did you mean 'flux_like'", unknown.stderr)

    def test_of_hundreds_of_known_names_an_error_has_the_nearest_and_the_first(self):
        done = run("mutants", "--mutant", "A100")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean 'A10'? (known: A1, A2, ", done.stderr)
        self.assertRegex(done.stderr, r" and \d{3} more: attncheck list\)\n$")
        self.assertLess(len(done.stderr), 200)

    def test_a_parameter_gradient_that_is_low_says_by_how_much(self):
        done = run("replay", "impl=mutant:A14 mesh=2x1 q=2 d=1")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("FAILED model_matches_single_rank", done.stdout)
        self.assertIn("got / expected is 0.5, low by the number of ranks", done.stdout)

    def test_list(self):
        for what, has in [
            ("impls", "unified"), ("impls", "allgather_kv"), ("models", "wan_like"), ("backends", "flash_cpu"), ("mutants", "A10"),
            ("properties", "gradients_match_reference"), ("transports", "gloo"), ("shapes", "llama3_70b"),
            ("support", "### unified"),
        ]:  # fmt: skip
            done = run("list", what)
            self.assertEqual(done.returncode, 0)
            self.assertIn(has, done.stdout)

    def test_the_docs_have_every_property(self):
        docs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/properties.md")
        with open(docs) as file:
            table = file.read()
        for line in run("list", "properties").stdout.splitlines():
            self.assertIn(f"| `{line.split()[0]}` |", table)

    def test_help_and_version_are_no_errors(self):
        self.assertEqual(run("--help").returncode, 0)
        self.assertEqual(run("check", "--help").returncode, 0)
        self.assertIn("attncheck", run("--version").stdout)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
