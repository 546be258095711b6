"""What the kernels' contracts are held against: contracts_test.py PROGRAM"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None
FLASH_CPU = "_scaled_dot_product_flash_attention_for_cpu"
CUDNN = "_scaled_dot_product_cudnn_attention"


class Contracts(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def contracts(self, *arguments):
        return subprocess.run([PROGRAM, "contracts", "--quiet", *arguments], capture_output=True, text=True, timeout=120,
                              cwd=self.folder.name)  # fmt: skip

    def release(self):
        done = self.contracts("--json", self.path("release.json"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(self.path("release.json")) as file:
            return json.load(file)

    def edited_table(self, edit):
        """The pinned table, each of its rows edited."""
        table = json.loads(self.contracts("--print-table").stdout)
        for row in table["contracts"]:
            edit(row)
        return self.write("table.json", json.dumps(table))

    def meta(self, libtorch, lse_sizes, lse_strides):
        out = {"sizes": [2, 4, 40, 16], "strides": [2560, 16, 64, 1], "dtype": "bfloat16"}
        lse = {"sizes": lse_sizes, "strides": lse_strides, "dtype": "float32"}
        sizes = {"B": 2, "H": 4, "S": 40, "K": 24, "D": 16}
        return self.write("meta.json", json.dumps({"libtorch": libtorch, "q_dtype": "bfloat16", "sizes": sizes,
                                                   "returns": {CUDNN: [out, lse]}}))  # fmt: skip

    def refused(self, *arguments, says):
        done = self.contracts(*arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(says, done.stderr)

    def test_a_kernels_quirks_are_said(self):
        done = self.contracts("--backend", "flash_cpu")
        self.assertIn("quirk    kv_len 0: ends the process by SIGFPE", done.stdout)
        names = [quirk["name"] for quirk in self.release()["quirks"]]
        self.assertIn("LSE of any rank in backward", names)

    def test_the_pinned_table_holds_here(self):
        report = self.release()
        states = [finding["state"] for finding in report["findings"]]
        self.assertNotIn("differs", states)
        self.assertGreater(states.count("agrees"), 20)
        witnesses = {f["witness"] for f in report["findings"] if f["op"] == FLASH_CPU}
        self.assertEqual(witnesses, {"dispatcher", "flash_cpu declares", "returned here"})

    def test_what_did_not_run_says_why(self):
        for finding in self.release()["findings"]:
            if finding["state"] == "not_run":
                self.assertEqual(finding["reason"], "no CUDA device")
        self.assertIn("not run  returned here: no CUDA device", self.contracts().stdout)

    def test_a_changed_entry_fails_and_names_operator_and_release(self):
        release = self.release()["release"]

        def four_axes(row):
            if row["op"] == FLASH_CPU:
                row["returns"][1]["shape"] = "B H S 1"

        done = self.contracts("--table", self.edited_table(four_axes))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f"FAILED aten::{FLASH_CPU} on LibTorch {release}: lse shape", done.stdout)

    def test_a_changed_schema_fails_too(self):
        def cudnn_in_flashs_order(row):
            if row["op"] == CUDNN + "_backward":
                row["schema"] = row["schema"].replace("Tensor attn_bias, ", "")

        done = self.contracts("--table", self.edited_table(cudnn_in_flashs_order))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f"FAILED aten::{CUDNN}_backward on LibTorch", done.stdout)

    def test_meta_kernels_are_held_against_the_release(self):
        report = self.release()
        three, four = ([2, 4, 40], [160, 40, 1]), ([2, 4, 40, 1], [160, 40, 1, 1])
        is_new = int(report["release"].split(".")[1]) >= 9
        right, wrong = (four, three) if is_new else (three, four)
        path = self.path("heard.json")
        done = self.contracts("--meta", self.meta(report["libtorch"], *right), "--json", path)
        self.assertNotIn("FAILED", done.stdout)
        with open(path) as file:
            heard = [f for f in json.load(file)["findings"] if f["witness"] == "meta kernel" and f["op"] == CUDNN]
        self.assertEqual({f["state"] for f in heard}, {"agrees"})
        self.assertEqual(done.returncode, 3, done.stdout)  # of the others the file says nothing
        self.assertIn(f"not checked: aten::{CUDNN}_backward: meta kernel: ", done.stdout)
        done = self.contracts("--meta", self.meta(report["libtorch"], *wrong))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f"FAILED aten::{CUDNN} on LibTorch {report['release']}: lse shape", done.stdout)

    def test_backends_choose_the_operators(self):
        done = self.contracts("--backend", "flash_cpu")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn(FLASH_CPU + "_backward", done.stdout)
        self.assertNotIn(CUDNN, done.stdout)

    def test_nothing_compared_is_no_pass(self):
        done = self.contracts("--backend", "math")
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("not checked: math: ", done.stdout)
        done = self.contracts("--backend", "cudnn_emulated:2.9")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("not checked: cudnn_emulated:2.9: ", done.stdout)
        done = self.contracts("--table", self.old_table())
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("the table has no row for LibTorch", done.stdout)

    def test_a_table_that_leaves_an_operator_out_is_no_pass(self):
        table = json.loads(self.contracts("--print-table").stdout)
        table["contracts"] = [row for row in table["contracts"] if row["op"] != FLASH_CPU + "_backward"]
        path = self.write("short.json", json.dumps(table))
        for arguments in ([], ["--backend", "flash_cpu"]):
            done = self.contracts("--table", path, *arguments)
            self.assertEqual(done.returncode, 3, done.stdout)
            self.assertIn(f"not checked: aten::{FLASH_CPU}_backward: the table has no row", done.stdout)

    def old_table(self):
        """Rows of 2.4 alone, a release that nobody builds against."""
        table = json.loads(self.contracts("--print-table").stdout)
        rows = [row for row in table["contracts"] if row["first"] == "2.4" and row["last"] == "2.4"]
        return self.write("old.json", json.dumps({"contracts": rows}))

    def test_wrong_requests_are_one_line(self):
        self.refused("--backend", "flash", says="unknown backend")
        self.refused("--table", self.path("absent.json"), says="cannot read")
        self.refused("--table", self.write("broken.json", "{"), says="--table")
        self.refused("--table", self.write("empty.json", ""), says="--table")
        self.refused("--table", self.folder.name, says="--table")
        self.refused("--meta", self.write("list.json", "[]"), says="--meta")
        self.refused("--meta", self.meta("1.13.1", [2], [1]), says="is of LibTorch 1.13.1")
        self.refused("--json", self.path("no/such/folder.json"), says="--json")

        self.refused("--table", "", says="an empty path is no file")
        self.refused("--backend", "all,foo", says="unknown backend 'foo'")
        self.refused("--backend", "cudnn_emulated", says="cudnn_emulated")
        self.refused("--cudnn", "--sm", "abc", says="'abc' is not a whole number")

        def no_returns(row):
            row["returns"] = []

        self.refused("--table", self.edited_table(no_returns), says="it returns no tensor")

        def odd_dtype(row):
            row["returns"][0]["dtype"] = "f32"

        self.refused("--table", self.edited_table(odd_dtype), says="'f32'")

        def misspelt(row):
            row["returns"][0]["empty_row"] = row["returns"][0].pop("empty_rows")

        self.refused("--table", self.edited_table(misspelt), says="did you mean 'empty_rows'")

        def without_device(row):
            del row["device"]

        self.refused("--table", self.edited_table(without_device), says="row 1 (")


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
