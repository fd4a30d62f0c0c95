#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every include of the project's own headers against the layer table of README.md, "Architecture". Also checks that
no two types have the same name: the linker would silently use either of them. Fails with the first offenders."""
import pathlib
import re
import sys

# A folder may include itself and the listed ones. Order inside core: base < trace < {readers, align} < {memory, samples} < lanes <
# scene < {search < timeline < compare, analysis} < {export, sql}; session uses base; batch uses session and readers;
# remote uses session and base, and readers to verify the files that it fetched.
CORE = {
    "core/base": set(),
    "core/trace": {"core/base"},
    "core/readers": {"core/base", "core/trace", "capture/format"},
    "core/align": {"core/base", "core/trace"},
    "core/memory": {"core/base", "core/trace", "core/align"},
    "core/samples": {"core/base", "core/trace", "core/align"},
    "core/lanes": {"core/base", "core/trace", "core/align", "core/memory", "core/samples"},
    "core/scene": {"core/base", "core/trace", "core/align", "core/memory", "core/lanes"},
    "core/search": {"core/base", "core/trace", "core/align", "core/memory", "core/lanes", "core/scene"},
    "core/timeline": {"core/base", "core/trace", "core/align", "core/memory", "core/samples", "core/lanes", "core/scene", "core/search"},
    "core/compare": {"core/base", "core/trace", "core/align", "core/memory", "core/lanes", "core/scene", "core/search", "core/timeline"},
    "core/analysis": {"core/base", "core/trace", "core/align", "core/lanes", "core/scene", "core/memory", "core/samples"},
    "core/export": {"core/base", "core/trace", "core/align", "core/lanes", "core/scene", "core/search", "core/timeline", "core/compare", "core/memory", "core/analysis"},
    "core/sql": {"core/base", "core/trace", "core/align", "core/lanes", "core/scene", "core/analysis"},
    "core/scheduler": {"core/base"},
    "core/servers": {"core/base"},
    "core/session": {"core/base", "core/scheduler", "core/servers"},
    "core/batch": {"core/base", "core/trace", "core/readers", "core/scheduler", "core/servers", "core/session"},
    "core/remote": {"core/base", "core/scheduler", "core/servers", "core/session", "core/trace", "core/readers"},
}
ANY_CORE = set(CORE)
ALLOWED = dict(CORE)
ALLOWED.update({
    "ui": ANY_CORE,
    "app/cli": ANY_CORE - {"core/remote"},
    "app/run": ANY_CORE | {"app/cli"},
    "app/window": ANY_CORE | {"ui", "app/cli", "app/run"},
    "app": ANY_CORE | {"ui", "app/cli", "app/run", "app/window"},
    "capture/format": set(),
    "capture/inject": {"capture/format", "capture/include"},
    "capture/include": set(),
    "capture/demo": {"capture/include", "capture/inject"},
    "capture/agent": (ANY_CORE - {"core/remote"}) | {"capture/format"},
    "tests": ANY_CORE | {"ui", "app", "app/cli", "app/run", "app/window", "capture/format", "capture/inject", "capture/include", "capture/agent", "capture/demo"},
})
# The rule for secrets is one header that only needs the standard library. The capture library uses no other part of core.
# The names that frameworks give their files and ranges come from the recipes.
SHARED_FILES = {"core/base/secret_text.h": {"capture/inject"},
                "core/session/recipes/framework_names.h": {"core/readers", "core/align", "core/lanes", "core/analysis"}}
QT_FREE = ANY_CORE - {"core/remote"} | {"app/cli"}
TOP_LEVEL = {"CMakeLists.txt", "README.md", "LICENSE", "CMakePresets.json", "core", "ui", "app", "capture", "tests",
             "resources", "packaging"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def layer_of(path):
    parts = path.split("/")
    for length in (2, 1):
        name = "/".join(parts[:length])
        if name in ALLOWED:
            return name
    return None


NAMESPACE = re.compile(r"^namespace ?([\w:]*) ?\{$")
TYPE = re.compile(r"^(?:template<.*> ?)?(?:class|struct|enum class) (\w+)(?: final)?(?: : [^;]*)?(?: \{.*)?$")


def types_of(text):
    """Names of the types that a file defines outside of unnamed namespaces, with their namespaces."""
    spaces, lines, names = [], text.splitlines() + [""], set()
    for line, following in zip(lines, lines[1:]):
        opened, defined = NAMESPACE.match(line), TYPE.match(line)
        if opened:
            spaces.append(opened.group(1))
        elif line.startswith("} // namespace") and spaces:
            spaces.pop()
        elif defined and spaces and "" not in spaces and "{" in line + following:
            names.add("::".join(spaces) + "::" + defined.group(1))
    return names


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    problems = []
    for entry in root.iterdir():
        if not entry.name.startswith(".") and entry.name not in TOP_LEVEL | {"build", "lockstep-demo"}:
            problems.append(f"{entry.name}: not in the fixed top level")
    count, defined = 0, {}
    for top in ("core", "ui", "app", "capture", "tests"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".c", ".cc"):
                continue
            name = path.relative_to(root).as_posix()
            layer = layer_of(name)
            if layer is None:
                problems.append(f"{name}: in no known layer")
                continue
            count += 1
            text = path.read_text(encoding="utf-8")
            for type_name in types_of(text) if top != "tests" else ():
                if defined.setdefault(type_name, name) != name:
                    problems.append(f"{name}: {type_name} is also a type of {defined[type_name]}")
            for number, line in enumerate(text.splitlines(), 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                quote, target = match.groups()
                if layer in QT_FREE and re.match(r"Q[A-Z]|Qt[A-Z]", target):
                    problems.append(f"{name}:{number}: {layer} knows no Qt, includes {target}")
                if quote != '"' or target.endswith(".moc"):
                    continue
                if "/" not in target and not (root / target).exists():
                    if not target.startswith(("moc_", "ui_")):
                        problems.append(f"{name}:{number}: include \"{target}\" is not root-relative")
                    continue
                other = layer_of(target)
                if layer in SHARED_FILES.get(target, ()):
                    continue
                if other is None or (other != layer and other not in ALLOWED[layer]):
                    problems.append(f"{name}:{number}: {layer} may not include {target}")
    print(f"{count} files, {len(problems)} problems")
    print("\n".join(problems[:50]))
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
