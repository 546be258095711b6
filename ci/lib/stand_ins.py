"""Stand-ins for the CUDA libraries that a torch wheel wants and a machine without CUDA lacks.

    stand_ins.py TORCH FOLDER

TORCH is an unpacked wheel's `torch` folder. For each library that the loader would not find, one of
that name is made in FOLDER. It has every function that the wheel's libraries leave undefined, and each
of them ends the process: enough for `import torch`, which loads everything and calls none of it where
there is no GPU.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def symbols(library, which):
    """The names of a library's dynamic symbols, without versions and without weak ones."""
    for line in output_of("nm", "-D", "-P", which, library).splitlines():
        name, kind = line.split()[:2]
        if kind not in "wv":
            yield name.split("@")[0]


def loader_lines(library):
    return output_of("ldd", library).splitlines()


def survey(libraries):
    """What the loader does not find, and the files that it does find."""
    missing, found = set(), set()
    for library in libraries:
        for line in loader_lines(library):
            if match := re.match(r"\s*(\S+) => not found", line):
                missing.add(match[1])
            elif match := re.match(r"\s*\S+ => (/\S+)", line):
                found.add(os.path.realpath(match[1]))
    return sorted(missing), sorted(found)


def undefined(libraries, found):
    wanted, defined = set(), set()
    for library in libraries:
        wanted.update(symbols(library, "--undefined-only"))
    for library in {*found, *map(os.path.realpath, libraries)}:
        defined.update(symbols(library, "--defined-only"))
    return sorted(name for name in wanted - defined if re.fullmatch(r"[A-Za-z_]\w*", name))


def make(missing, names, folder):
    with tempfile.TemporaryDirectory() as place:
        source = os.path.join(place, "stand_in.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("void abort(void);\n")
            file.writelines(f"void {name}(void) {{ abort(); }}\n" for name in names)
        for library in missing:
            target = os.path.join(folder, library)
            subprocess.run(["gcc", "-shared", "-fPIC", "-fno-builtin", "-w", f"-Wl,-soname,{library}",
                            "-o", target, source], check=True)


def main(torch, folder):
    libraries = glob.glob(os.path.join(torch, "lib", "*.so")) + glob.glob(os.path.join(torch, "_C.*.so"))
    missing, found = survey(libraries)
    os.makedirs(folder, exist_ok=True)
    names = undefined(libraries, found)
    make(missing, names, folder)
    print(f"{len(missing)} stand-ins with {len(names)} functions", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
