#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Texts that a person reads in the window go through tr(). Fails where words are given as they are to what shows them."""
import pathlib
import re
import sys

# What shows its arguments to a person: setters, what makes menus and buttons, widgets made with a text.
SHOWS = re.compile(r"\b(?:set(?:Text|WindowTitle|ToolTip|StatusTip|WhatsThis|PlaceholderText|Title|Heading|Remark|Message"
                   r"|AccessibleName|AccessibleDescription|NameFilters|HeaderLabels|TabText|LabelText|InformativeText)"
                   r"|add(?:Action|Menu|Button|Item|Tab|Line|Text|Row|Section)|showMessage|showProgress|tell|refused|preparing"
                   r"|new (?:Q(?:Label|PushButton|ToolButton|CheckBox|RadioButton|Action|Menu|ToolBar|DockWidget|FileDialog"
                   r"|MessageBox|GroupBox)|ToggleSwitch|ImportDialog|FieldEdit)|QMessageBox::\w+)\s*\(")
TRANSLATES = re.compile(r"(?:\btr|\btranslate|\btranslated|QT_TRANSLATE_NOOP|QT_TR_NOOP)\s*\($")
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')
WORDS = re.compile(r"[A-Za-z]{2,}[^A-Za-z]*\s[^A-Za-z]*[A-Za-z]{2,}")
# Beginnings of texts, and why they are the same in every language.
ALIKE = {
    "NeMo RL": "a product's name",
    "NCCL_DEBUG=WARN": "an example of what is typed",
    "python3 -m verl": "an example of what is typed or pasted",
    "  uv run": "an example of what is pasted",
    "NRL_NSYS_": "an example of what is pasted",
    "Lockstep timeline": "the title inside an SVG file",
    "Lockstep comparison": "the same",
}


def without_comments(text):
    return re.sub(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*', lambda match: match.group(1) or "", text)


def untranslated(text, begin):
    """The literals among the arguments that open at `begin`, those inside of tr() left out: (place, literal)."""
    translating, at = [], begin
    while at < len(text):
        if text[at] == '"':
            literal = LITERAL.match(text, at)
            if literal is None:
                return
            if not any(translating):
                yield at, literal.group()[1:-1]
            at = literal.end()
            continue
        if text[at] == "(":
            translating.append(bool(TRANSLATES.search(text, max(0, at - 40), at + 1)))
        elif text[at] == ")":
            if not translating:
                return
            translating.pop()
            if not translating:
                return
        elif text[at] == "{" and re.search(r"[\])]\s*(?:mutable\s*)?$", text[max(0, at - 40):at]):
            return  # what a lambda does is looked at by its own calls
        at += 1


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    problems, calls = set(), 0
    for top in ("ui", "app"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            text = without_comments(path.read_text(encoding="utf-8"))
            for call in SHOWS.finditer(text):
                calls += 1
                for place, literal in untranslated(text, call.end() - 1):
                    if WORDS.search(literal) and not literal.startswith(tuple(ALIKE)):
                        problems.add((path.relative_to(root).as_posix(), text.count("\n", 0, place) + 1, literal))
    print(f"{calls} calls that show something, {len(problems)} problems")
    for name, line, literal in sorted(problems):
        print(f'{name}:{line}: tr("{literal}")')
    return 1 if problems or calls == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
