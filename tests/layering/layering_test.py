"""The layering checker itself: on small trees, it refuses what is planted and nothing else."""

import pathlib
import tempfile
import unittest

import layering

HEADERS = [
    "problem/problem.h", "reference/reference.h", "impl/contract/backend.h", "impl/backends/math.h",
    "impl/backends/attend.h", "impl/autograd/kept.h", "impl/ring/ring.h",
    "impl/ulysses/ulysses.h", "impl/unified/unified.h", "impl/allgather_kv/gather.h",
    "properties/property.h", "sim/sim.h",
    "gloo_cpu/gloo.h", "nccl_gpu/nccl.h", "plugin/plugin.h", "harness/lab.h", "mutants/mutants.h", "cli/cli.h",
    "tests/help.h",
]

PACKAGE = "set(attncheck_exported problem reference impl sim properties plugin)\n"

FORBIDDEN = [
    ("problem", "reference/reference.h"), ("problem", "impl/contract/backend.h"),
    ("reference", "impl/contract/backend.h"), ("reference", "impl/ring/ring.h"),
    ("impl/contract", "impl/backends/math.h"), ("impl/backends", "impl/ring/ring.h"),
    ("impl/ring", "impl/ulysses/ulysses.h"), ("impl/ulysses", "impl/ring/ring.h"),
    ("impl/allgather_kv", "impl/ring/ring.h"), ("impl/ring", "impl/allgather_kv/gather.h"),
    ("impl/allgather_kv", "impl/ulysses/ulysses.h"), ("impl/ulysses", "impl/allgather_kv/gather.h"),
    ("impl/ring", "reference/reference.h"), ("impl/backends", "harness/lab.h"),
    ("properties", "impl/ring/ring.h"), ("properties", "impl/backends/math.h"),
    ("properties", "sim/sim.h"), ("properties", "gloo_cpu/gloo.h"), ("properties", "harness/lab.h"),
    ("sim", "problem/problem.h"), ("gloo_cpu", "sim/sim.h"), ("gloo_cpu", "harness/lab.h"),
    ("nccl_gpu", "sim/sim.h"), ("nccl_gpu", "harness/lab.h"), ("gloo_cpu", "nccl_gpu/nccl.h"),
    ("harness", "impl/ring/ring.h"), ("harness", "impl/backends/math.h"), ("harness", "cli/cli.h"),
    ("mutants", "harness/lab.h"), ("mutants", "properties/property.h"),
    ("plugin", "harness/lab.h"), ("plugin", "impl/ring/ring.h"), ("impl/ring", "plugin/plugin.h"),
    ("examples", "harness/lab.h"), ("examples", "mutants/mutants.h"),
    ("impl/autograd", "impl/backends/math.h"), ("impl/collectives", "impl/backends/math.h"),
    ("impl/layouts", "reference/reference.h"), ("properties", "impl/backends/attend.h"),
    ("cli", "tests/help.h"), ("harness", "tests/help.h"), ("impl/new_part", "impl/ring/ring.h"),
]

ALLOWED = [
    ("reference", "problem/problem.h"), ("impl/backends", "impl/contract/backend.h"),
    ("impl/ring", "impl/backends/math.h"), ("impl/unified", "impl/ring/ring.h"),
    ("impl/unified", "impl/ulysses/ulysses.h"), ("properties", "reference/reference.h"),
    ("properties", "impl/contract/backend.h"), ("harness", "sim/sim.h"),
    ("harness", "impl/backends/attend.h"), ("impl/collectives", "impl/autograd/kept.h"),
    ("harness", "properties/property.h"), ("mutants", "impl/ring/ring.h"),
    ("cli", "impl/ring/ring.h"), ("cli", "mutants/mutants.h"), ("tests/ring", "tests/help.h"),
    ("tests/ring", "impl/ring/ring.h"), ("nccl_gpu", "gloo_cpu/gloo.h"),
    ("harness", "nccl_gpu/nccl.h"), ("harness", "plugin/plugin.h"), ("mutants", "plugin/plugin.h"),
    ("plugin", "properties/property.h"), ("plugin", "impl/contract/backend.h"),
    ("examples", "plugin/plugin.h"), ("examples", "impl/ring/ring.h"),
]


class Layering(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for header in HEADERS:
            self.write(header, "#pragma once\n")
        self.write(layering.PACKAGE, PACKAGE)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        parts = [self.root / path.split("/")[0], file.parent]
        for part in parts:
            (part / "README.md").touch()

    def problems(self):
        return layering.problems(str(self.root))

    def problems_of_planted(self, path, text):
        self.write(path, text)
        found = self.problems()
        (self.root / path).unlink()
        return found

    def test_holds_on_a_clean_tree(self):
        self.assertEqual(self.problems(), [])

    def test_refuses_every_forbidden_arrow(self):
        for folder, target in FORBIDDEN:
            with self.subTest(folder=folder, target=target):
                path = f"{folder}/planted.cpp"
                found = self.problems_of_planted(path, f'\n  #  include "{target}"\n')
                self.assertEqual(found, [f"{path}:2: {folder}/ must not include {target}"])

    def test_takes_every_allowed_arrow(self):
        for folder, target in ALLOWED:
            with self.subTest(folder=folder, target=target):
                text = f'#include <vector>\n#include "{target}"\n'
                self.assertEqual(self.problems_of_planted(f"{folder}/planted.cpp", text), [])

    def test_refuses_ways_around_the_root(self):
        for include in ['"ring.h"', '"../ring/ring.h"', '"impl/ring/no.h"', "<impl/ring/ring.h>"]:
            with self.subTest(include=include):
                found = self.problems_of_planted("impl/ring/planted.h", f"#include {include}\n")
                self.assertEqual(len(found), 1)
                self.assertTrue(found[0].startswith("impl/ring/planted.h:1: "), found)

    def test_refuses_libraries_that_a_folder_keeps_away_from(self):
        for folder, header in [("problem", "ATen/core/Tensor.h"), ("impl/ring", "rapidcheck.h"),
                               ("reference", "torch/csrc/distributed/c10d/Backend.hpp"),
                               ("cli", "torch/torch.h"), ("harness", "ATen/ATen.h")]:
            with self.subTest(folder=folder, header=header):
                found = self.problems_of_planted(f"{folder}/planted.cpp", f"#include <{header}>\n")
                self.assertEqual(len(found), 1)
                self.assertIn(f"<{header}>", found[0])

    def test_refuses_long_files_and_readmes(self):
        self.assertEqual(len(self.problems_of_planted("sim/long.cpp", "\n" * 301)), 1)
        self.write("sim/README.md", "\n" * 41)
        self.assertEqual(self.problems(), ["sim/README.md: 41 lines, at most 40"])

    def test_refuses_a_folder_without_readme_or_layer(self):
        (self.root / "impl/ring/README.md").unlink()
        self.assertEqual(self.problems(), ["impl/ring/: no README.md"])
        (self.root / "impl/ring/README.md").touch()
        self.write("extras/extra.cpp", "")
        self.assertEqual(len(self.problems()), 1)
        self.assertIn("extras/: no such layer", self.problems()[0])

    def test_lets_an_example_include_its_own_files_as_where_it_is_copied_to(self):
        self.write("examples/mine/parts.h", "#pragma once\n")
        self.write("examples/mine/mine.cpp", '#include "parts.h"\n')
        self.assertEqual(self.problems(), [])
        self.write("impl/ring/parts.cpp", '#include "ring.h"\n')
        self.assertEqual(len(self.problems()), 1)

    def test_holds_what_outside_code_may_include_to_what_is_installed(self):
        self.write(layering.PACKAGE, PACKAGE.replace(" plugin", ""))
        found = self.problems()
        self.assertEqual(len(found), 3)
        self.assertIn("mutants/ may include plugin, which", found[0])
        self.write(layering.PACKAGE, "# nothing\n")
        self.assertEqual(len(self.problems()), 1)

    def test_refuses_an_empty_tree(self):
        with tempfile.TemporaryDirectory() as empty:
            self.assertEqual(len(layering.problems(empty)), 1)


if __name__ == "__main__":
    unittest.main()
