"""The layers of the project, read from its #include lines.

    layering.py ROOT    prints one line per violation, exits 1 where there is one

Each folder may include itself and the folders that ARROWS gives it. Also checked: project headers
are included by their path from the root; LibTorch's umbrella headers are not used (15 CPU s a
file); some folders keep away from some libraries; READMEs and files stay short enough to be read.
"""

import os
import re
import sys

# Folder -> folders that it may include; "*" is all but tests/. A path stands for what is below it.
IMPL_PARTS = ["impl/autograd", "impl/backends", "impl/collectives", "impl/layouts", "impl/merges",
              "impl/support"]
INSTALLED = ["problem", "reference", "impl", "sim", "properties", "plugin"]
ARROWS = {
    "problem": [],
    "reference": ["problem"],
    "impl": ["problem", "impl/contract"],  # every part of impl/ that has no line of its own
    "impl/contract": ["problem"],
    "impl/merges": ["problem", "impl/contract", "impl/layouts"],
    "impl/collectives": ["problem", "impl/contract", "impl/autograd"],
    "impl/support": ["problem", "impl/contract", "impl/layouts", "impl/backends/built_in.h"],
    "impl/allgather_kv": ["problem", "impl/contract", *IMPL_PARTS],
    "impl/ring": ["problem", "impl/contract", *IMPL_PARTS],
    "impl/ulysses": ["problem", "impl/contract", *IMPL_PARTS],
    "impl/unified": ["problem", "impl"],
    "impl/sharding": ["problem", "impl/contract", "impl/autograd", "impl/collectives"],
    "impl/models": ["problem", "impl"],
    "properties": ["problem", "reference", "impl/contract"],
    "sim": [],
    "gloo_cpu": [],
    "cudnn_probe": ["problem", "impl/contract/support.h", "impl/backends/hidden_keys.h"],
    "nccl_gpu": ["gloo_cpu"],
    # A backend alone is a subject too (impl=local): two files call any backend by its contract. What
    # exchanges take is measured on those that the methods make.
    "harness": ["problem", "reference", "impl/contract", "properties", "plugin", "sim", "gloo_cpu",
                "nccl_gpu", "impl/backends/attend.h", "impl/backends/normalise_lse.h",
                "impl/collectives/exchange.h"],
    "mutants": ["problem", "impl", "plugin"],
    "plugin": ["problem", "impl/contract", "properties"],
    "cli": ["*"],
    "python": ["problem", "impl", "gloo_cpu", "harness"],
    "tests": ["*", "tests"],
    "ci": INSTALLED,  # the consumer project
    "examples": INSTALLED,
    "docs": [],
}

# Outside code: it may include what the package installs, and nothing private.
OUTSIDE = ["mutants", "ci", "examples"]
PACKAGE = "ci/cmake/AttncheckInstall.cmake"

# Folder -> beginnings of library headers that it must not include.
ASIDE = {
    "problem": ["ATen/", "c10/", "torch/", "gloo/", "rapidcheck"],
    "reference": ["torch/csrc/distributed/", "gloo/", "rapidcheck"],
    "impl": ["gloo/", "rapidcheck"],
    "mutants": ["gloo/", "rapidcheck"],
    "plugin": ["gloo/", "rapidcheck", "fmt/"],
    "sim": ["rapidcheck"],
    "gloo_cpu": ["rapidcheck"],
    "cudnn_probe": ["ATen/", "c10/", "torch/", "rapidcheck"],
    "nccl_gpu": ["rapidcheck"],
}
UMBRELLAS = {"torch/torch.h", "torch/all.h", "torch/extension.h", "ATen/ATen.h", "ATen/Functions.h"}

README_LINES = 40
FILE_LINES = 300
SOURCES = (".h", ".cpp", ".py", ".cmake", ".sh", "CMakeLists.txt")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def below(path, folder):
    return path == folder or path.startswith(folder + "/")


def part_of(path):
    """The layer of a file: its top folder, and below impl/ the part as well."""
    folder = os.path.dirname(path)
    if below(folder, "impl"):
        return "/".join(folder.split("/")[:2])
    return folder.split("/")[0]


def allowed(part):
    if part in ARROWS:
        return ARROWS[part]
    return ARROWS["impl"] if below(part, "impl") else []


def may_include(part, target):
    if below(target, part) and part != "impl":
        return True
    arrows = allowed(part)
    if "*" in arrows and not below(target, "tests"):
        return True
    return any(below(target, arrow) for arrow in arrows)


def quoted_problem(root, path, target):
    if below(path, "examples"):  # copied elsewhere, where its own files lie side by side
        sibling = os.path.join(root, os.path.dirname(path), target)
        if os.path.isfile(sibling) and "/" not in target:
            return None
    if ".." in target.split("/") or not os.path.isfile(os.path.join(root, target)):
        return f'"{target}" is no file of this project by its path from the root'
    if not may_include(part_of(path), target):
        return f"{part_of(path)}/ must not include {target}"
    return None


def library_problem(root, path, target):
    if target in UMBRELLAS:
        return f"<{target}> is an umbrella header: include the narrow ones"
    if target.split("/")[0] in ARROWS and os.path.isfile(os.path.join(root, target)):
        return f"<{target}> is a file of this project: write it in quotes"
    part = part_of(path)
    if any(below(part, folder) and target.startswith(start)
           for folder, starts in ASIDE.items() for start in starts):
        return f"{part}/ must not include <{target}>"
    return None


def include_problems(root, path, lines):
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quoted, library = match.groups()
        check, target = (quoted_problem, quoted) if quoted else (library_problem, library)
        problem = check(root, path, target)
        if problem:
            yield f"{path}:{number}: {problem}"


def file_problems(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        lines = file.read().splitlines()
    if len(lines) > FILE_LINES:
        yield f"{path}: {len(lines)} lines, at most {FILE_LINES} can be read as one thing"
    if os.path.basename(path) == "README.md" and len(lines) > README_LINES:
        yield f"{path}: {len(lines)} lines, at most {README_LINES}"
    if path.endswith((".h", ".cpp")):
        yield from include_problems(root, path, lines)


def project_files(root):
    """Sources and READMEs below the folders of ARROWS, and any other folder that has C++ in it."""
    for folder, folders, names in os.walk(root):
        at_root = os.path.samefile(folder, root)
        skipped = {"build"} if at_root else set()
        folders[:] = sorted(f for f in folders if f[0] not in "._" and f not in skipped)
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), root)
            if "/" in path and (name.endswith(SOURCES) or name == "README.md"):
                yield path


def folder_problems(root, paths):
    sources = [p for p in paths if os.path.basename(p) != "README.md"]
    for part in sorted({p.split("/")[0] for p in sources} | {part_of(p) for p in sources}):
        if part.split("/")[0] not in ARROWS:
            yield f"{part}/: no such layer; give it a line in tests/layering/layering.py"
        elif not os.path.isfile(os.path.join(root, part, "README.md")):
            yield f"{part}/: no README.md"


def package_problems(root):
    """What outside code is allowed is what is installed."""
    try:
        with open(os.path.join(root, PACKAGE), encoding="utf-8") as file:
            exported = re.search(r"set\(attncheck_exported ([^)]*)\)", file.read())
    except FileNotFoundError:
        exported = None
    if not exported:
        yield f"{PACKAGE}: it must say what is installed: set(attncheck_exported ...)"
        return
    for folder in OUTSIDE:
        for arrow in ARROWS[folder]:
            if arrow.split("/")[0] not in exported.group(1).split():
                yield f"{folder}/ may include {arrow}, which {PACKAGE} does not install"


def problems(root):
    paths = list(project_files(root))
    found = list(folder_problems(root, paths))
    for path in paths:
        found += file_problems(root, path)
    found += package_problems(root)
    return found if paths else [f"{root}: no source file found"]


def main(root):
    found = problems(root)
    held = f"layering: {len(list(project_files(root)))} files, all held"
    print("\n".join(found) if found else held)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
