"""Checks with one seed after another for a time: soak.py PROGRAM FOLDER SECONDS [SEED] [ARGS]

Rounds take the dtypes in turn on every backend and subject that `sim` runs, then sends that are
buffered, then processes over gloo. FOLDER/seeds.txt gets a line for each round; FOLDER/closest.json
has the closest calls by property and dtype, near which later cases are drawn: a later soak goes on
from there. A round that has begun is finished; one that hangs is ended.
"""

import json
import os
import shutil
import subprocess
import sys
import time

SIM = ["--transport", "sim", "--backend", "all"]
ROUNDS = [
    [*SIM, "--cases", "40", "--dtype", "f64"],
    [*SIM, "--cases", "40", "--dtype", "f32"],
    [*SIM, "--cases", "40", "--dtype", "bf16"],
    [*SIM, "--cases", "40", "--dtype", "f16"],
    [*SIM, "--cases", "20", "--dtype", "f64,f32", "--send-buffer", "1048576"],
    ["--transport", "gloo", "--cases", "20", "--dtype", "f64,bf16"],
]
ALWAYS = ["--corpus", "none", "--quiet"]
LISTED = 12  # closest calls that are printed
LONGEST = 1800  # seconds of a round
NOT_CHECKED = 3


def fail(text):
    print(f"attncheck: error: {text}", file=sys.stderr)
    sys.exit(2)


def number(text, what):
    if not text.isdigit():
        fail(f"{what} is '{text}': expected a whole number, as in ci/soak 3600 1")
    return int(text)


class Soak:
    def __init__(self, program, folder, arguments):
        os.makedirs(folder, exist_ok=True)
        self.program, self.folder, self.arguments = program, folder, arguments
        self.cases = 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def command(self, turn, seed):
        """The arguments of a round: with the calls before it they give the same cases again."""
        if os.path.exists(self.path("closest.json")):
            shutil.copy(self.path("closest.json"), self.path("closest-before.json"))
        return ["check", *ROUNDS[turn % len(ROUNDS)], "--seed", str(seed), *ALWAYS,
                "--closest", self.path("closest.json"), "--json", self.path("report.json"),
                *self.arguments]  # fmt: skip

    def drawn(self):
        with open(self.path("report.json")) as file:
            return sum(stream["cases"] for stream in json.load(file)["streams"])

    def round(self, turn, seed):
        begin, command = time.monotonic(), self.command(turn, seed)
        if os.path.exists(self.path("report.json")):
            os.remove(self.path("report.json"))
        try:
            done = subprocess.run(
                [self.program, *command], capture_output=True, text=True, timeout=LONGEST
            )
            code, said = done.returncode, done.stdout + done.stderr
        except subprocess.TimeoutExpired:
            code, said = NOT_CHECKED, f"the round did not end within {LONGEST} s\n"
        drawn = self.drawn() if os.path.exists(self.path("report.json")) else 0
        self.cases += drawn
        spent = time.monotonic() - begin
        line = f"seed {seed}: exit {code}, {drawn} cases, {spent:.0f} s: {' '.join(command)}"
        print(line, flush=True)
        with open(self.path("seeds.txt"), "a") as file:
            file.write(line + "\n")
        if code:
            print(said, end="")
        return code

    def print_closest(self):
        if not os.path.exists(self.path("closest.json")):
            return
        with open(self.path("closest.json")) as file:
            calls = json.load(file)["closest_calls"]
        closest = {}  # the calls of a property and dtype come closest first
        for call in calls:
            closest.setdefault((call["property"], call["dtype"]), call)
        print("closest calls, by property and dtype:")
        for call in sorted(closest.values(), key=lambda call: -call["share"])[:LISTED]:
            name = f"{call['property']} {call['dtype']}"
            print(f"  {100 * call['share']:6.1f} %  {name}  ({call['case']})")

    def run(self, seconds, seed):
        begin, code, turn = time.monotonic(), 0, 0
        while code == 0 and time.monotonic() - begin < seconds:
            code = self.round(turn, seed)
            turn, seed = turn + 1, seed + 1
        self.print_closest()
        spent = time.monotonic() - begin
        rate = self.cases / max(spent, 1e-9)
        print(f"{turn} rounds, {self.cases} cases in {spent:.0f} s, {rate:.0f} a second, exit {code}")
        return code


def main():
    if len(sys.argv) < 4:
        fail("expected soak.py PROGRAM FOLDER SECONDS [SEED] [ARGS]")
    program, folder, seconds = sys.argv[1:4]
    seed = number(sys.argv[4], "the first seed") if len(sys.argv) > 4 else 1
    sys.exit(Soak(program, folder, sys.argv[5:]).run(number(seconds, "the time"), seed))


if __name__ == "__main__":
    main()
