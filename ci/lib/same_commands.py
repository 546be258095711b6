"""Whether two build folders compile the same: same_commands.py FOLDER OTHER

Compares their compile_commands.json, each folder's own path aside. Prints one line, then the commands
that only one of them has; exit 0 the same, 1 not.
"""

import json
import os
import sys


def commands(folder):
    own = os.path.realpath(folder)
    with open(os.path.join(folder, "compile_commands.json"), encoding="utf-8") as file:
        return {entry["command"].replace(own, "BUILD") for entry in json.load(file)}


def main(first, second):
    one, other = commands(first), commands(second)
    if one == other:
        print(f"{second} compiles what {first} does: {len(one)} commands")
        return 0
    print(f"{second} does not compile what {first} does: {len(one - other)} commands of the first alone, "
          f"{len(other - one)} of the second alone")
    for command in sorted(one - other)[:3] + sorted(other - one)[:3]:
        print(f"  {command}")
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
