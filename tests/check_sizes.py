#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks sizes: files up to 600 lines, functions up to 60 (tests 100), classes up to 25 public functions and 8 signals
(not in tests), CMakeLists.txt below 150. Also checks that every file has its license line, except the sample files that
tests read as a user's."""
import pathlib
import re
import sys

FILE_LIMIT = 600
FUNCTION_LIMIT = 60
TEST_FUNCTION_LIMIT = 100
PUBLIC_LIMIT = 25
SIGNAL_LIMIT = 8
SECTION = re.compile(r"(public|protected|private|signals)(?:\s+slots)?\s*:(?!:)\s*")
CLASS = re.compile(r"(?:template\s*<.*>\s*)?(class|struct)\s+(\w+(?:::\w+)*)(?:\s+final)?\s*(?::(?!:).*)?$")
STRIP = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|//.*$')


def has_licence(lines):
    at = 1 if lines and lines[0].startswith("#!") else 0
    return len(lines) > at and lines[at].endswith("SPDX-License-Identifier: Apache-2.0")


def code_lines(lines):
    """Yields (line number, code) without comments, strings, raw strings and preprocessor lines."""
    raw = None  # delimiter of an open raw string literal
    is_macro = False  # the line continues a preprocessor line
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
        is_preprocessor = is_macro or code.lstrip().startswith("#")
        is_macro = is_preprocessor and code.endswith("\\")
        if not is_preprocessor:
            yield number, code


def functions(lines):
    """Yields (first line number, length) of each outermost brace block that is a function body."""
    stack = []
    statement_start, statement = 0, ""
    for number, code in code_lines(lines):
        for char in code:
            if char == "{":
                is_scope = bool(re.match(r"\s*(?:inline\s+)?(?:namespace|extern|(?:template\s*<.*>\s*)?"
                                         r"(?:class|struct|enum|union))\b", statement))
                is_function = not is_scope and "(" in statement and not any(s[0] == "function" for s in stack)
                stack.append(("function" if is_function else "other", statement_start or number))
                statement, statement_start = "", 0
            elif char == "}":
                if stack:
                    kind, start = stack.pop()
                    if kind == "function":
                        yield start, number - start + 1
                statement, statement_start = "", 0
            elif char == ";":
                statement, statement_start = "", 0
            else:
                if not statement.strip() and not char.isspace():
                    statement_start = number
                statement += char
        statement += " "


class ClassScope:
    """The class whose braces are open: its access section and the functions declared so far."""

    def __init__(self, number, keyword, name):
        self.number, self.name = number, name
        self.access = "private" if keyword == "class" else "public"
        self.counts = {"public": 0, "signals": 0}

    def add(self, statement):
        """Counts a declaration. Constructors, destructors, overrides and deleted or defaulted functions don't count."""
        while section := SECTION.match(statement):
            self.access, statement = section.group(1), statement[section.end():]
        head = statement.split("(", 1)[0]
        name = re.search(r"(~?\w+|operator\s*\S*)\s*$", head)
        is_function = "(" in statement and name and "=" not in re.sub(r"operator\s*\S*", "", head)
        if not is_function or name.group(1).lstrip("~") == self.name or self.access not in self.counts:
            return
        if re.match(r"friend|using|typedef|static_assert|std::function<", statement):
            return
        if not re.search(r"=\s*(?:delete|default)$|\boverride\b", statement):
            self.counts[self.access] += 1


def classes(lines):
    """Yields a ClassScope for each class or struct."""
    scopes, statement = [], ""
    for number, code in code_lines(lines):
        for char in code:
            if char in "{;}":
                statement = re.sub(r"\bQ_(?:OBJECT|GADGET|[A-Z_]+\([^)]*\))", "", statement).strip()
                if char != "}" and scopes and scopes[-1]:
                    scopes[-1].add(statement)
            if char == "{":
                while section := SECTION.match(statement):
                    statement = statement[section.end():]
                found = CLASS.match(statement)
                scopes.append(ClassScope(number, found.group(1), found.group(2)) if found else None)
            elif char == "}" and scopes:
                closed = scopes.pop()
                if closed:
                    yield closed
            statement = "" if char in "{;}" else statement + char
        statement += " "


def class_problems(name, lines):
    for scope in classes(lines):
        for section, limit in (("public", PUBLIC_LIMIT), ("signals", SIGNAL_LIMIT)):
            if scope.counts[section] > limit:
                kind = "public functions" if section == "public" else section
                yield f"{name}:{scope.number}: {scope.name} has {scope.counts[section]} {kind}, limit {limit}"


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
                if top != "tests":
                    problems += class_problems(name, lines)
    cmake = len((root / "CMakeLists.txt").read_text(encoding="utf-8").splitlines())
    if cmake >= 150:
        problems.append(f"CMakeLists.txt: {cmake} lines, limit 149")
    print(f"{count} files, {len(problems)} problems")
    print("\n".join(problems[:50]))
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
