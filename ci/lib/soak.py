"""Checks with one seed after another for a time: soak.py PROGRAM FOLDER SECONDS [SEED] [ARGS]

FOLDER/seeds.txt gets a line for each check, FOLDER/closest.json the largest error / bound of each
property and dtype over all of them, with the seed that showed it. A later soak goes on from there.
"""

import json
import os
import subprocess
import sys
import time

ROUND = ["--backend", "all", "--dtype", "all", "--transport", "sim", "--cases", "40", "--corpus", "none"]
LISTED = 12  # closest calls that are printed


def fail(text):
    print(f"attncheck: error: {text}", file=sys.stderr)
    sys.exit(2)


def number(text, what):
    if not text.isdigit():
        fail(f"{what} is '{text}': expected a whole number, as in ci/soak 3600 1")
    return int(text)


def closest_calls(report):
    for result in report["results"]:
        evidence = result["evidence"]
        if result["verdict"] != "pass" or not evidence or not evidence["bound"]:
            continue
        if evidence["error"] is not None:
            share = evidence["error"] / evidence["bound"]
            where = f"{result['impl']} on {result['backend']}"
            yield f"{result['property']} {result['dtype']}", share, where


def remember(closest, report, seed):
    for name, share, where in closest_calls(report):
        if share > closest.get(name, {"share": -1.0})["share"]:
            closest[name] = {"share": share, "where": where, "seed": seed}


def one_round(program, folder, seed, arguments):
    path = os.path.join(folder, "report.json")
    done = subprocess.run(
        [program, "check", *ROUND, "--seed", str(seed), "--json", path, "--quiet", *arguments],
        capture_output=True, text=True,
    )  # fmt: skip
    if not os.path.exists(path):
        print(done.stdout + done.stderr, end="")
        return done, None
    with open(path) as file:
        report = json.load(file)
    os.remove(path)
    return done, report


def load(path):
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        return json.load(file)


def print_closest(closest):
    print("closest calls, by property and dtype:")
    for name, call in sorted(closest.items(), key=lambda item: -item[1]["share"])[:LISTED]:
        print(f"  {100 * call['share']:6.1f} %  {name}  ({call['where']}, seed {call['seed']})")


def soak(program, folder, seconds, seed, arguments):
    os.makedirs(folder, exist_ok=True)
    record, closest_path = os.path.join(folder, "seeds.txt"), os.path.join(folder, "closest.json")
    closest, cases, begin, code = load(closest_path), 0, time.monotonic(), 0
    while code == 0 and time.monotonic() - begin < seconds:
        done, report = one_round(program, folder, seed, arguments)
        code = done.returncode
        drawn = sum(stream["cases"] for stream in report["streams"]) if report else 0
        cases += drawn
        line = f"seed {seed}: exit {code}, {drawn} cases"
        print(line, flush=True)
        with open(record, "a") as file:
            file.write(f"{line} {' '.join(arguments)}".rstrip() + "\n")
        if report:
            remember(closest, report, seed)
            with open(closest_path, "w") as file:
                json.dump(closest, file, indent=2, sort_keys=True)
        if code and report:
            print(done.stdout, end="")
        seed += 1
    spent = time.monotonic() - begin
    print_closest(closest)
    print(f"{cases} cases in {spent:.0f} s, {cases / max(spent, 1e-9):.0f} a second, exit {code}")
    return code


def main():
    program, folder, seconds = sys.argv[1:4]
    seed = number(sys.argv[4], "the first seed") if len(sys.argv) > 4 else 1
    sys.exit(soak(program, folder, number(seconds, "the time"), seed, sys.argv[5:]))


if __name__ == "__main__":
    main()
