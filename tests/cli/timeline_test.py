"""A case's timeline as a trace, held to the trace event format: timeline_test.py PROGRAM"""

import collections
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None
RANKS, CRITICAL_PATH = 1, 2  # processes of a trace
UNIFIED = "impl=unified mesh=2x2 q=4096 h=8 d=64 dtype=bf16 return_lse=0"
# Of each phase of an event: the fields that it needs beside ph, pid and name, and their types.
NUMBER = (int, float)
FIELDS = {
    "M": {"tid": int, "args": dict},
    "X": {"tid": int, "ts": NUMBER, "dur": NUMBER, "cat": str, "args": dict},
    "b": {"tid": int, "ts": NUMBER, "id": str, "cat": str, "args": dict},
    "e": {"tid": int, "ts": NUMBER, "id": str, "cat": str},
    "s": {"tid": int, "ts": NUMBER, "id": int, "cat": str},
    "f": {"tid": int, "ts": NUMBER, "id": int, "cat": str, "bp": str},
}


class Timelines(unittest.TestCase):
    def run_it(self, *arguments):
        command = [PROGRAM, "bench", "timeline", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=120)

    def events(self, case, words="predicted, in virtual time"):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            done = self.run_it("--case", case, "--trace", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(words, done.stdout)
            self.assertIn("critical path: ", done.stdout)
            with open(path) as file:
                trace = json.load(file)
        self.assertEqual(set(trace), {"displayTimeUnit", "traceEvents"})
        return trace["traceEvents"]

    def of_phase(self, events, phase, process=RANKS):
        return [event for event in events if (event["ph"], event["pid"]) == (phase, process)]

    def test_every_event_has_what_its_phase_needs(self):
        for rotate in ("allgather", "p2p"):
            self.assert_fields(self.events(f"{UNIFIED} rotate={rotate}"))

    def assert_fields(self, events):
        for event in events:
            self.assertIn(event["ph"], FIELDS)
            self.assertIsInstance(event["pid"], int)
            self.assertIsInstance(event["name"], str)
            self.assertTrue(event["name"])
            for name, kind in FIELDS[event["ph"]].items():
                self.assertIsInstance(event[name], kind, event)
            self.assertGreaterEqual(event.get("ts", 0), 0)
            self.assertGreaterEqual(event.get("dur", 0), 0)

    def test_each_rank_has_one_track_on_which_nothing_overlaps(self):
        self.assert_tracks(self.events(UNIFIED))

    def assert_tracks(self, events):
        names = [e for e in self.of_phase(events, "M") if e["name"] == "thread_name"]
        self.assertEqual([e["tid"] for e in names], [0, 1, 2, 3])
        self.assertEqual(names[1]["args"]["name"], "rank 1 (ring 0, ulysses 1)")
        tracks = collections.defaultdict(list)
        for event in self.of_phase(events, "X"):
            tracks[event["tid"]].append(event)
        self.assertEqual(sorted(tracks), [0, 1, 2, 3])
        for slices in tracks.values():
            self.assertEqual({e["cat"] for e in slices}, {"compute", "post", "wait"})
            for one, next_one in zip(slices, slices[1:]):
                self.assertLessEqual(one["ts"] + one["dur"], next_one["ts"] + 0.002)

    def test_arrows_go_from_a_send_to_its_receive(self):
        events = self.events(f"{UNIFIED} rotate=p2p")
        ends = {e["id"]: e for e in self.of_phase(events, "f")}
        starts = self.of_phase(events, "s")
        self.assertEqual(len(starts), len(ends))
        pairs = collections.defaultdict(set)
        slices = self.of_phase(events, "X")
        for start in starts:
            end = ends.pop(start["id"])
            self.assertEqual(end["bp"], "e")
            self.assertLessEqual(start["ts"], end["ts"])
            pairs[start["name"]].add((start["tid"], end["tid"]))
            at = [e for e in slices if e["tid"] == start["tid"] and e["ts"] == start["ts"]]
            self.assertIn(f"post {start['name']}", [e["name"] for e in at])
        # rank = ring * 2 + ulysses: the ring goes between 0 and 2, 1 and 3.
        self.assertEqual(pairs["send"], {(0, 2), (2, 0), (1, 3), (3, 1)})
        self.assertEqual(pairs["alltoall"], {(0, 1), (1, 0), (2, 3), (3, 2)})

    def test_the_critical_path_is_one_piece_from_begin_to_end(self):
        events = self.events("impl=ring mesh=4x1 q=4096 h=8 d=64 rotate=p2p causal=1 return_lse=0")
        path = self.of_phase(events, "X", CRITICAL_PATH)
        now = 0
        for event in path:
            self.assertAlmostEqual(event["ts"], now, delta=0.01)
            now = event["ts"] + event["dur"]
        ends = [e["ts"] + e["dur"] for e in self.of_phase(events, "X")]
        self.assertAlmostEqual(now, max(ends), delta=0.01)
        self.assertEqual({e["args"]["rank"] for e in path if e["cat"] == "compute"} & {3}, {3})

    def test_two_of_its_files_are_not_one(self):
        done = self.run_it("--case", "impl=ring mesh=2x1 q=4 d=1", "--trace", "one", "--html", "./one")
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("--html and --trace are one file", done.stderr)

    def test_over_gloo_it_is_measured(self):
        case = "impl=unified mesh=2x2 q=256 h=4 d=16 dtype=f32 transport=gloo rotate=p2p return_lse=0"
        events = self.events(case, "measured, in wall time")
        self.assert_fields(events)
        self.assert_tracks(events)
        starts, ends = self.of_phase(events, "s"), self.of_phase(events, "f")
        rank_of = {e["id"]: e["tid"] for e in ends}
        pairs = collections.defaultdict(set)
        for start in starts:
            pairs[start["name"]].add((start["tid"], rank_of[start["id"]]))
        self.assertEqual(pairs["send"], {(0, 2), (2, 0), (1, 3), (3, 1)})
        self.assertEqual(pairs["alltoall"], {(0, 1), (1, 0), (2, 3), (3, 2)})
        slices = self.of_phase(events, "X")
        self.assertTrue({"forward", "backward"} <= {e["name"] for e in slices if e["cat"] == "compute"})

    def test_measured_bytes_are_those_of_the_prediction(self):
        case = "impl=unified mesh=2x2 q=256 h=4 d=16 dtype=f32 rotate=p2p return_lse=0"
        received = []
        for transport, words in (("sim", "predicted"), ("gloo", "measured")):
            events = self.events(f"{case} transport={transport}", words)
            posts = [e for e in self.of_phase(events, "X") if e["cat"] == "post"]
            received.append(collections.Counter((e["tid"], e["name"], e["args"]["bytes"]) for e in posts))
        self.assertEqual(*received)

    def test_links_carry_the_bytes_of_theory(self):
        # What Ulysses trades forward and backward, with U = 2: half of q, k, v and out, each way;
        # an element has two bytes.
        events = self.events(UNIFIED)
        shard = 4096 // 4 * 8 * 64 * 2
        begins = self.of_phase(events, "b")
        self.assertEqual(sorted(e["id"] for e in begins),
                         sorted(e["id"] for e in self.of_phase(events, "e")))
        trades = [e for e in begins if e["args"]["axis"] == "ulysses" and e["tid"] == 0]
        self.assertEqual(sum(e["args"]["bytes"] for e in trades), 2 * 4 * shard // 2)

    def test_every_method_is_predicted_with_its_lse(self):
        for case in ("impl=unified mesh=2x2 q=4096 h=8 d=64", "impl=ulysses mesh=1x2 q=64 h=2 d=8", "impl=ring mesh=2x1 q=64 d=8"):
            done = self.run_it("--case", case)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("critical path", done.stdout)

    def test_what_has_no_timeline_is_refused(self):
        for case, words in [
            ("impl=unified mesh=2x2 q=4095 h=8 d=64", "do not divide into 4 shards"),
            ("impl=collective:all_gather mesh=2x1 q=4 d=1", "is no implementation"),
            ("impl=ulysses mesh=2x1 q=8 d=8", "the ring degree is 2"),
            ("impl=ring q=8", "mesh"),
            ("impl=ring mesh=2x1 q=8 d=8 transport=nccl", "expected sim (predicted) or gloo"),
            ("impl=ring mesh=2x1 q=7 d=8 transport=gloo", "do not divide into 2 shards"),
            ("impl=ring mesh=2x1 q=8 d=8 transport=gloo backend=native", "log-sum-exp"),
        ]:
            done = self.run_it("--case", case)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(words, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        done = self.run_it()
        self.assertEqual(done.returncode, 2)
        self.assertIn("--case is missing", done.stderr)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
