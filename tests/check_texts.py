#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the texts a person reads. Fails if
- a text of the window does not go through tr();
- a text, a comment of a header, a help page or README.md has a phrase listed in PHRASES;
- a text with %n has no plural forms in resources/translations/lockstep_en.ts, or that file has an unused or unfinished text;
- a sentence is assembled from parts: a tr() text that begins or ends with a space, or two that are concatenated."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

# Functions whose arguments a person sees: setters, functions that add menus and buttons, widgets made with a text.
SHOWS = re.compile(r"\b(?:set(?:Text|WindowTitle|ToolTip|StatusTip|WhatsThis|PlaceholderText|Title|Heading|Remark|Message"
                   r"|AccessibleName|AccessibleDescription|NameFilters|HeaderLabels|TabText|LabelText|InformativeText)"
                   r"|add(?:Action|Menu|Button|Item|Tab|Line|Text|Row|Section)|showMessage|showProgress|showNotice|showNote|refused|preparing"
                   r"|new (?:Q(?:Label|PushButton|ToolButton|CheckBox|RadioButton|Action|Menu|ToolBar|DockWidget|FileDialog"
                   r"|MessageBox|GroupBox)|ToggleSwitch|ImportDialog|FieldEdit)|QMessageBox::\w+)\s*\(")
TRANSLATES = re.compile(r"(?:\btr|\btranslate|\btranslated|QT_TRANSLATE_NOOP|QT_TRANSLATE_N_NOOP|QT_TR_NOOP)\s*\($")
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')
WORDS = re.compile(r"[A-Za-z]{2,}[^A-Za-z]*\s[^A-Za-z]*[A-Za-z]{2,}")
# Beginnings of texts that are the same in every language, with the reason.
ALIKE = {
    "NeMo RL": "a product's name",
    "NCCL_DEBUG=WARN": "an example of what is typed",
    "python3 -m verl": "an example of what is typed or pasted",
    "  uv run": "an example of what is pasted",
    "NRL_NSYS_": "an example of what is pasted",
    "Lockstep timeline": "the title inside an SVG file",
    "Lockstep comparison": "the same",
}

# Phrases that are translated word for word, and plain English for them. A reminder, not a measure of the language.
PHRASES = {
    r"in hand": "selected",
    r"(?:held|holds?|holding) against": "compared with",
    r"(?:is|are|was|were|be) told": "is reported, is shown",
    r"goes on on": "keeps running on",
    r"lets? go of": "release, deselect, stop watching",
    r"whose each": "report identities",
    r"of nobody": "unassigned",
    r"stands? there": "is there, exists",
    r"could not be said": "is unknown",
    r"known no more": "no longer known",
    r"nobody knows": "unknown, not recorded",
    r"lies? alone": "is far from the others",
    r"what is in front": "the focused panel",
    r"mended": "fixed, repaired",
    r"knows? no more": "no longer knows",
}
LUPDATE = shutil.which("lupdate", path="/usr/lib/qt6/bin") or "lupdate"  # package qt6-l10n-tools
PHRASE = re.compile(r"\b(?:" + "|".join(PHRASES) + r")\b", re.IGNORECASE)
TRANSLATED = re.compile(r"(?:\btr|\btranslate|\btranslated|QT_TRANSLATE_NOOP|QT_TRANSLATE_N_NOOP|QT_TR_NOOP)\s*\(")
JOINED = re.compile(r"\btr\(\"(?:[^\"\\\n]|\\.)*\"\)\s*\+\s*(?:\w+::)?tr\(")


def without_comments(text):
    return re.sub(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*', lambda match: match.group(1) or "", text)


def untranslated(text, begin):
    """Yields (position, literal) of the arguments that open at `begin`, without those inside of tr()."""
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
            return  # calls inside a lambda are checked separately
        at += 1


def untranslated_texts(root):
    problems, calls = set(), 0
    for path, text in sources(root, ("ui", "app")):
        text = without_comments(text)
        for call in SHOWS.finditer(text):
            calls += 1
            for place, literal in untranslated(text, call.end() - 1):
                if WORDS.search(literal) and not literal.startswith(tuple(ALIKE)):
                    problems.add((path, line_at(text, place), f'tr("{literal}")'))
    return problems, calls


def sources(root, tops, suffixes=(".h", ".cpp")):
    for top in tops:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in suffixes:
                yield path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")


def line_at(text, place):
    return text.count("\n", 0, place) + 1


def joined_literals(text):
    """Yields (position, text) of the literals of C++ code, adjacent ones as one, without comments."""
    code = re.sub(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*', lambda match: match.group(1) or " " * len(match.group()), text)
    for match in re.finditer(r'(?:"(?:[^"\\\n]|\\.)*"\s*)+', code):
        yield match.start(), "".join(LITERAL.findall(match.group())).replace('""', "")


def phrases(root):
    """Returns the positions of PHRASES in literals, in comments of headers, in help pages, man pages and README.md."""
    problems = set()

    def look(path, line, text):
        for match in PHRASE.finditer(text):
            plain = next(plain for phrase, plain in PHRASES.items() if re.fullmatch(phrase, match.group(), re.IGNORECASE))
            problems.add((path, line, f'"{match.group()}": write "{plain}"'))

    for path, text in sources(root, ("core", "ui", "app", "capture")):
        for place, literal in joined_literals(text):
            look(path, line_at(text, place), literal)
        if path.endswith(".h"):
            for block in re.finditer(r"(?:^[^\n\"]*//[^\n]*\n)+", text, re.MULTILINE):
                words = re.sub(r"\s*\n[^\n]*?//\s*", " ", block.group())
                look(path, line_at(text, block.start()), words)
    for path, text in sources(root, ("resources", "packaging"), (".md", ".1")):
        look(path, 1, re.sub(r"\s+", " ", text))
    look("README.md", 1, re.sub(r"\s+", " ", (root / "README.md").read_text(encoding="utf-8")))
    return problems


def messages(file):
    """Returns the messages of a translation file by context and source, with their forms."""
    return {(context.findtext("name"), message.findtext("source")): [form.text or "" for form in message.iter("numerusform")]
            for context in xml.etree.ElementTree.parse(file).iter("context") for message in context.iter("message")}


def plurals(root):
    """Compares the translation file with the texts that lupdate finds in the code."""
    name = "resources/translations/lockstep_en.ts"
    known = messages(root / name)
    with tempfile.TemporaryDirectory() as folder:
        fresh = pathlib.Path(folder) / "lockstep_en.ts"
        subprocess.run([LUPDATE, "-silent", "-pluralonly", "-I", ".", "app", "ui", "-ts", fresh], cwd=root, check=True,
                       stderr=subprocess.DEVNULL)
        used = messages(fresh)
    problems = {(name, 1, f'{context}: "{source}" needs a singular and a plural form')
                for (context, source), forms in known.items()
                if len(forms) != 2 or any(not form or "(s)" in form for form in forms)}
    problems |= {(name, 1, f'{context}: "{source}" is missing') for context, source in used.keys() - known.keys()}
    problems |= {(name, 1, f'{context}: "{source}" is not used') for context, source in known.keys() - used.keys()}
    return problems


def assembled(root):
    problems = set()
    for path, text in sources(root, ("ui", "app")):
        for match in JOINED.finditer(text):
            problems.add((path, line_at(text, match.start()), "two texts are concatenated: use one text with %1"))
        for call in TRANSLATED.finditer(text):
            literal = re.compile(r'\s*((?:"(?:[^"\\\n]|\\.)*"\s*)+)').match(text, call.end())
            words = "".join(part[1:-1] for part in LITERAL.findall(literal.group(1))) if literal else ""
            if words.strip() and words != words.strip():
                problems.add((path, line_at(text, call.start()), f'"{words}" begins or ends with a space'))
    return problems


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    problems, calls = untranslated_texts(root)
    problems |= phrases(root) | plurals(root) | assembled(root)
    print(f"{calls} calls that show something, {len(problems)} problems")
    for name, line, problem in sorted(problems):
        print(f"{name}:{line}: {problem}")
    return 1 if problems or calls == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
