#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks sizes: files up to 600 lines, functions up to 60 (tests 100), CMakeLists.txt below 150. Also checks that every
file has its license line, except the sample files that tests read as a user's."""
import pathlib
import re
import sys

FILE_LIMIT = 600
FUNCTION_LIMIT = 60
TEST_FUNCTION_LIMIT = 100
STRIP = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|//.*$')


def has_licence(lines):
    at = 1 if lines and lines[0].startswith("#!") else 0
    return len(lines) > at and lines[at].endswith("SPDX-License-Identifier: Apache-2.0")


def functions(lines):
    """Yields (first line number, length) of each outermost brace block that is a function body."""
    depth, stack = 0, []
    raw = None  # delimiter of an open raw string literal
    statement_start, statement = 0, ""
    for number, line in enumerate(lines, 1):
        if raw is not None:
            at = line.find(raw)
            if at < 0:
                continue
            line, raw = line[at + len(raw):], None
        begin = re.search(r'R"([^(]*)\(', line)
        if begin:
            end = ")" + begin.group(1) + '"'
            at = line.find(end, begin.end())
            if at < 0:
                line, raw = line[:begin.start()], end
            else:
                line = line[:begin.start()] + line[at + len(end):]
        code = STRIP.sub("", line)
        if code.lstrip().startswith("#"):
            continue
        for char in code:
            if char == "{":
                is_scope = bool(re.match(r"\s*(?:inline\s+)?(?:namespace|extern|(?:template\s*<.*>\s*)?"
                                         r"(?:class|struct|enum|union))\b", statement))
                is_function = not is_scope and "(" in statement and not any(s[0] == "function" for s in stack)
                stack.append(("function" if is_function else "other", statement_start or number))
                depth += 1
                statement, statement_start = "", 0
            elif char == "}":
                if stack:
                    kind, start = stack.pop()
                    if kind == "function":
                        yield start, number - start + 1
                depth -= 1
                statement, statement_start = "", 0
            elif char == ";":
                statement, statement_start = "", 0
            else:
                if not statement.strip() and not char.isspace():
                    statement_start = number
                statement += char
        statement += " "


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    problems, count = [], 0
    for top in ("core", "ui", "app", "capture", "tests", "packaging"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".c", ".cc", ".py", ".sh") or "data" in path.parts:
                continue
            count += 1
            name = path.relative_to(root).as_posix()
            lines = path.read_text(encoding="utf-8").splitlines()
            if "cases" not in path.parts and not has_licence(lines):
                problems.append(f"{name}: no SPDX-License-Identifier line at its top")
            if len(lines) > FILE_LIMIT:
                problems.append(f"{name}: {len(lines)} lines, limit {FILE_LIMIT}")
            limit = TEST_FUNCTION_LIMIT if top == "tests" else FUNCTION_LIMIT
            if path.suffix in (".h", ".cpp", ".c", ".cc"):
                problems += [f"{name}:{start}: function of {length} lines, limit {limit}"
                             for start, length in functions(lines) if length > limit]
    cmake = len((root / "CMakeLists.txt").read_text(encoding="utf-8").splitlines())
    if cmake >= 150:
        problems.append(f"CMakeLists.txt: {cmake} lines, limit 149")
    print(f"{count} files, {len(problems)} problems")
    print("\n".join(problems[:50]))
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
