// SPDX-License-Identifier: Apache-2.0
// Compares the reader of launch scripts with bash itself where everything is known, and tests its messages
// where it is not.
#include <QTest>

#include <algorithm>

#include "core/base/host_reference.h"
#include "core/session/shell/arithmetic.h"
#include "core/session/shell/script.h"
#include "tests/support/bash_arguments.h"
#include "tests/support/cpu_timer.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

shell::Script scriptOf(const std::string& text)
{
    Result<shell::Script> script = shell::readScript(text);
    if (!script) qFatal("%s", script.error().message.c_str());
    return *script;
}

const shell::Command* findCommand(const shell::Script& script, std::string_view name)
{
    const auto found = std::ranges::find_if(
        script.commands, [&](const shell::Command& one) { return one.words[0].text == name; });
    return found == script.commands.end() ? nullptr : &*found;
}

std::vector<std::string> argumentsOf(const shell::Command& command)
{
    std::vector<std::string> words;
    for (const shell::Text& word : command.words) {
        if (word.isKnown()) words.push_back(resolvedHere(shell::sessionText(word.text)));
    }
    return words;
}

bool isSubsequence(const std::vector<std::string>& part, const std::vector<std::string>& whole)
{
    auto at = whole.begin();
    return std::ranges::all_of(part, [&](const std::string& word) {
        at = std::find(at, whole.end(), word);
        return at != whole.end() && at++ != whole.end();
    });
}

// Returns the known words of a command and "?" for each unknown one, joined by '|', then the causes.
QString unknownTextOf(const shell::Command& command)
{
    QStringList words, causes;
    for (const shell::Text& word : command.words) {
        words << (word.isKnown() ? QString::fromStdString(shell::sessionText(word.text)) : "?");
        if (!word.isKnown()) causes << QString::fromStdString(word.unknown->description());
        if (!word.remark.empty()) causes << QString::fromStdString(word.remark);
    }
    return words.join('|') + (causes.isEmpty() ? "" : " / ") + causes.join("; ");
}

std::string notesOf(const shell::Script& script)
{
    std::string text;
    for (const shell::Note& note : script.notes)
        text += std::to_string(note.line) + (note.isLoss ? "! " : ": ") + note.text + "\n";
    return text;
}

} // namespace

class ShellScriptTest : public QObject {
    Q_OBJECT

  private slots:
    void asBashReadsIt_data();
    void asBashReadsIt();
    void unknownParts_data();
    void unknownParts();
    void unknownBranches_data();
    void unknownBranches();
    void notes_data();
    void notes();
    void givenValues();
    void sourcedFiles();
    void lineNumbersAreCorrect();
    void environmentAndFolder();
    void arithmetic();
    void workIsLimited_data();
    void workIsLimited();
    void unclosedQuotesHaveAPosition();
};

void ShellScriptTest::asBashReadsIt_data()
{
    QTest::addColumn<QString>("script");
    const auto row = [](const char* name, const char* script) { QTest::newRow(name) << script; };
    row("quotes", "main_ppo 'a b' \"c d\" e\\ f \"g'h\" 'i\"j' $'k\\tl' '' \"\"");
    row("escapes", "main_ppo $'\\a\\b\\e\\E\\f\\n\\r\\t\\v\\\\\\'\\\"\\?' $'\\q\\8\\z'");
    row("bytes",
        "main_ppo $'\\x41\\x4g\\xg\\x' $'\\x{41}\\x{}b'c $'\\1\\12\\1234' $'\\x01\\x02\\x7f' $'\\xc3\\xa9'");
    row("control keys", "main_ppo $'\\cA\\ca\\c?\\c\\\\' $'a\\0b'c $'\\cz'");
    row("code points", "LC_ALL=C.UTF-8; main_ppo $'\\u20ac\\u41g\\U1F600\\u' $'\\U10ffff'");
    row("escapes in defaults", "main_ppo ${u:-$'a\\tb'} \"${u:-$'c\\td'}\" \"e$'f'\"");
    row("continuations", "main_ppo a \\\n  b \\\n  'c\nd' # e\n");
    row("assignments", "a=1; b=\"$a 2\"; c=$b; main_ppo $a $b \"$b\" \"${c}x\" ${a}y");
    row("defaults", "x=; main_ppo ${u:-d} ${u-d} ${x:-e} \"${x-f}\" ${x:+g} ${u+h} \"${v:=i j}\" $v");
    row("defaults in defaults", "a=1; main_ppo ${u:-${w:-$a}} ${u:-'q r'} ${u:-a b}");
    row("arrays", "A=(a \"b c\" # no\n d); A+=(e); main_ppo \"${A[@]}\" ${A[1]} ${#A[@]} \"${A[*]}\"");
    row("an empty array", "A=(); main_ppo x \"${A[@]}\" ${A[@]+\"${A[@]}\"} y");
    row("an array's guard", "A=(p \"q r\"); main_ppo ${A[@]+\"${A[@]}\"}");
    row("elements", "A[0]=a; A[1]=c; A[0]=d; main_ppo ${A[0]} ${A[1]}");
    row("arithmetic",
        "a=3; main_ppo $((a*2+1)) $(( (a + 5) / 2 )) $((a>2?10:20)) $((7%4)) $((-a)) $((a==3&&!0||0))");
    row("patterns", "p=/m/Qwen/Q-7B.tar.gz; main_ppo ${p##*/} ${p#*/} ${p%.*} ${p%%.*} ${#p} ${p%z}");
    row("lower case", "p=AbC; main_ppo ${p,,}");
    row("if", "m=nsys; if [ \"$m\" = nsys ]; then x=1; elif [ 1 = 1 ]; then x=2; else x=3; fi; main_ppo $x");
    row("else",
        "m=t; if [[ $m == n* ]]; then x=1; elif [[ $m == \"n*\" ]]; then x=2; else x=3; fi; main_ppo $x");
    row("numbers in conditions", "n=4; if [ $n -gt 2 ] && [ $n -le 4 ]; then x=y; fi; main_ppo $x");
    row("both and either", "n=4; if [[ $n -eq 5 || ( $n != 3 && -n \"$n\" ) ]]; then x=y; fi; main_ppo $x");
    row("counted conditions", "n=4; if (( n > 3 && n < 10 )); then x=y; fi; main_ppo $x");
    row("and, or", "[ a = a ] && x=1; [ a = b ] || y=2; [ a = b ] && x=3; main_ppo $x $y");
    row("case", "m=b2; case $m in a) x=1;; b*|c) x=2;; *) x=3;; esac; main_ppo $x");
    row("functions", "f() { local a=$1; shift; main_ppo \"$a\" \"$@\" $#; }\nf 'x y' z \"w v\"");
    row("functions of the other kind", "function g { main_ppo $1; }\ng 5");
    row("functions that set", "s() { M=$1; }; s 7; main_ppo $M");
    row("a loop", "for x in one; do main_ppo $x; done");
    row("rounds of a loop", "A=(); for x in a 'b c'; do A+=(\"n=$x\"); done; main_ppo \"${A[@]}\"");
    row("subshells", "a=1; (a=2; b=3); main_ppo $a ${b:-none}");
    row("braces", "a=1; { a=2; }; main_ppo $a");
    row("one line of many", "set -x; a=1;b=2 && c=3; main_ppo $a$b$c; true");
    row("pipes and redirections", "main_ppo a 2>&1 b > /dev/null c | cat");
    row("a here-document", "cat > /dev/null <<'E'\nmain_ppo no\nE\nmain_ppo yes");
    row("a here-document with tabs", "cat > /dev/null <<-E\n\tmain_ppo no\n\tE\nmain_ppo yes");
    row("a command in variables", "P=main_ppo; A='b c'; $P $A \"$A\"");
    row("a backslash at the end", "main_ppo a \\");
    row("shifts that fail", "set -- a; shift 2 || shift 1 || true; main_ppo \"$@\" $#");
    row("too many shifts", "set -- a b; shift 3; main_ppo \"$@\" $#");
    row("arguments set", "set -- a 'b c'; main_ppo \"$@\" $# $2; shift; true");
    row("hydra's words", "main_ppo x=[1,2] 'y=\"a,b\"' z=\"['p','q']\" ++k.l=null w='{a: 1}'");
    row("signs", "main_ppo a=b $ % @ + 'a$b' \"a\\$b\" a#b");
    row("comments", "# main_ppo no\nmain_ppo a # b\n#c");
    row("windows", "a=1\r\nmain_ppo x\r\n");
    row("added text", "a=x; a+=y; a+=\" z\"; main_ppo \"$a\" $a");
    row("unset", "a=1; unset a; main_ppo ${a:-none}");
    row("not", "if ! [ a = b ]; then x=1; fi; main_ppo $x");
    row("while never", "while false; do main_ppo no; done; main_ppo yes");
    row("words of a variable", "a='x  y z '; main_ppo p$a q \"$a\" $a$a");
    row("joined elements", "A=(a 'b c'); main_ppo ${A[*]} \"${A[*]}\" x${A[@]}y");
    row("quoted arguments", "f() { main_ppo \"${@}\" \"$@\" $*; }\nf; f 'a b' c");
    row("no arguments", "E=(\"${@}\"); if [ $# -gt 0 ]; then x=1; fi; main_ppo \"${E[@]}\" ${x-no} end");
    row("local variables", "x=1; f() { local x=2 y; y=3; main_ppo $x $y; }; f; main_ppo $x ${y-none}");
    row("variables of one call", "f() { main_ppo $x; }; x=5 f; main_ppo ${x-none}");
    row("leaving a function", "f() { x=1; [ a = a ] && return; x=2; }; f; main_ppo $x");
    row("leaving a loop", "for i in a b c; do [ $i = b ] && break; done; main_ppo $i");
    row("the next round", "n=0; for i in a b c; do [ $i = b ] && continue; n=$((n+1)); done; main_ppo $n");
    row("chains", "false && x=1 || x=2; true || x=3; true && false || y=4; main_ppo $x $y");
    row("braces in a chain", "[ a = b ] || { x=1; y=2; }; main_ppo $x $y");
    row("printed text", "a=$(echo x y); b=$(basename /p/run.sh .sh); main_ppo \"$a\" $b $(dirname /p/q/r)");
    row("printed branches", "m=a; x=$([ $m = a ] && echo 1 || echo 2); main_ppo $x");
    row("folders", "cd /usr; cd bin/..; main_ppo $(pwd) $PWD $(cd lib && pwd) $(realpath ../usr/./lib)");
    row("home", "main_ppo ~/x $HOME/y \"${HOME}z\" a=~/b ~ x~ \"$HOME\"");
    row("home in assignments", "a=~/x:~/y; export b=~; main_ppo $a $b ${a##*/}");
    row("the current folder", "main_ppo $PWD/x \"$(pwd)\"");
    row("nested", "for i in a; do if [ $i = a ]; then case $i in a) main_ppo deep;; esac; fi; done");
}

void ShellScriptTest::asBashReadsIt()
{
    QFETCH(QString, script);
    const std::string text = script.toStdString();
    const bool isWindows = text.find('\r') != std::string::npos;
    // bash does not handle files from Windows: its words end with a carriage return there.
    std::optional<test::BashArguments> bash =
        test::bashArguments(isWindows ? script.remove('\r').toStdString() : text, "main_ppo", {"PWD"});
    QVERIFY(bash);
    const shell::Script read = scriptOf(text);
    QVERIFY2(!read.commands.empty(), notesOf(read).c_str());
    const shell::Command* command = nullptr; // the printer keeps the last call
    for (const shell::Command& one : read.commands) {
        if (one.words[0].text == "main_ppo") command = &one;
    }
    QVERIFY2(command != nullptr, notesOf(read).c_str());
    std::vector<std::string> words = argumentsOf(*command);
    // The folder in which bash was started is $PWD.
    for (std::string& word : words) {
        const std::string own = resolvedHere("$PWD");
        if (word.starts_with(own)) word.replace(0, own.size(), bash->environment.at(0).substr(4));
    }
    QCOMPARE(words, bash->argv);
    QVERIFY2(std::ranges::all_of(command->words, &shell::Text::isKnown), qPrintable(unknownTextOf(*command)));
    QVERIFY(std::ranges::all_of(command->words, [](const shell::Text& word) { return word.remark.empty(); }));
    QVERIFY(command->isCertain);
}

void ShellScriptTest::unknownParts_data()
{
    QTest::addColumn<QString>("script");
    QTest::addColumn<QString>("words"); // known words of the command x, "?" for others, and the causes
    const auto row = [](const char* name, const char* script, const char* words) {
        QTest::newRow(name) << script << words;
    };
    row("references", "x $HOME/d ${USER}s $SLURM_NNODES $RAY_ADDRESS",
        "x|$HOME/d|${USER}s|$SLURM_NNODES|$RAY_ADDRESS");
    row("literal dollars", "x '$HOME' \"\\$USER\" '$(date)' '$X'", "x|$$HOME|$$USER|$(date)|$X");
    row("a variable from outside", "x a$FOO", "x|? / FOO: not set in the script (line 1)");
    row("a command", "\nx $(date +%s) a", "x|?|a / $(date +%s) runs a command (line 2)");
    row("a command in a variable", "D=$(date)\nE=a$D\nx $E", "x|? / D: $(date) runs a command (line 1)");
    row("an old command", "x `id -u`", "x|? / `id -u` runs a command (line 1)");
    row("an argument", "x $1 ${2:-d}", "x|?|d / 1: an argument of the script (line 1)");
    row("arguments", "x a \"$@\" b $#", "x|a|b|0");
    row("a demand", "x ${M:?give it} $M",
        "x|?|? / M: must be set by the caller (line 1); M: must be set by the caller (line 1)");
    row("files", "x *.txt", "x|*.txt / bash replaces * and ? if files match");
    row("bytes that are no text", "x $'\\xff' $'\\ud800' a",
        "x|?|?|a / not valid UTF-8 (line 1); not valid UTF-8 (line 1)");
    row("quotes in quotes", "x \"${u:-a'}'b}\" \"${u:-it's}\" \"${u:-$'}'}\"",
        "x|?|?|? / an apostrophe in quotes (line 1); an apostrophe in quotes (line 1); an apostrophe in "
        "quotes (line 1)");
    row("several words", "x {a,b} y", "x|?|y / bash expands {...} to several arguments (line 1)");
    row("another home", "x ~joe/a", "x|? / the home folder of another user (line 1)");
    row("input", "read V\nx $V", "x|? / V: read sets it (line 1)");
    row("sums of the unknown", "x $((O + 1))", "x|? / O: not set in the script (line 1)");
    row("sums with commands", "n=$(nproc)\nx $((n * 2))", "x|? / n: $(nproc) runs a command (line 1)");
    row("unsupported sums", "x $((2 ** 3)) $((010))",
        "x|?|? / can't evaluate 2 ** 3 (line 1); can't evaluate 010 (line 1)");
    row("too clever", "x ${!O} ${HOME:0:3}",
        "x|?|? / ${!O} is not supported (line 1); ${HOME:0:3} is not supported (line 1)");
    row("separators", "IFS=,\nx=a,b\nx $x", "x|? / IFS is changed, so words are split differently (line 3)");
    row("the path", "export PATH=/a:$PATH\nx ${PATH:-none}", "x|? / PATH: the host's own value (line 1)");
    row("an element", "A[2]=x\nx \"${A[@]}\"", "x|? / A: its elements are not in order (line 1)");
    row("SLURM without a job", "x ${SLURM_NNODES:-1}", "x|1");
    row("SLURM in a job", "#!/bin/sh\n#SBATCH -N 2\nx ${SLURM_NNODES:-1}", "x|$SLURM_NNODES");
}

void ShellScriptTest::unknownParts()
{
    QFETCH(QString, script);
    QFETCH(QString, words);
    const shell::Script read = scriptOf(script.toStdString());
    const shell::Command* command = findCommand(read, "x");
    QVERIFY2(command != nullptr, notesOf(read).c_str());
    QCOMPARE(unknownTextOf(*command), words);
}

// "probe" is a command of the host, which may succeed or fail.
void ShellScriptTest::unknownBranches_data()
{
    QTest::addColumn<QString>("script");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const char* script, const char* words) {
        QTest::newRow(name) << script << words;
    };
    row("if", "v=1; w=a; if probe; then v=2; w=a; fi\nx $v $w", "x|?|a");
    row("else", "if probe; then v=2; u=1; else v=3; u=1; fi\nx $v $u", "x|?|1");
    row("elif", "if [ a = b ]; then v=1; elif probe; then v=2; else v=3; fi; x $v", "x|?");
    row("arrays", "A=(a b); if probe; then A+=(c); fi; A+=(d); x \"${A[@]}\"", "x|a|b|?|d");
    row("other arrays", "if probe; then A=(a b c); else A=(b c d e); fi; x \"${A[@]}\"", "x|?|b|c|?|?");
    row("counted arrays", "A=(); if probe; then A+=(c); fi; if [ ${#A[@]} -gt 0 ]; then w=1; fi; x $w k",
        "x|?|k");
    row("and", "v=1; probe && v=2; x $v", "x|?");
    row("and, or", "v=$(probe && echo gpu || echo npu); x $v k", "x|?|k");
    row("or", "probe || v=2; x ${v:-3}", "x|?");
    row("assigned or", "v=$(probe) || v=2; x a$v", "x|?");
    row("case", "case $(probe && echo a) in a) v=1;; b) v=2;; *) v=3;; esac; x $v", "x|?");
    row("a way out", "if probe; then :; else v=5; fi; x k $v", "x|k|?");
    row("exit", "v=1; if probe; then v=5; else :; fi; if [ $v = 1 ]; then w=1; fi; x $w", "x|?");
    row("functions", "f() { if probe; then v=1; return; fi; v=2; }; f; x $v", "x|?");
    row("the same function", "f() { if probe; then v=1; return; fi; v=1; }; f; x $v", "x|1");
    row("loops", "for i in a b c; do if probe; then v=$i; break; fi; done; x $v k", "x|?|k");
    row("rounds", "n=0; for i in $(probe); do n=$((n+1)); m=7; done; x $n $m k", "x|?|?|k");
    row("changes in a loop", "a=1; b=1; while probe; do a=$b; b=2; break; done; x $a $b", "x|?|?");
    row("changes over rounds", "a=1; b=1; for i in $(probe && echo 1 2); do a=$b; b=2; done; x $a k",
        "x|?|k");
    row("folders", "if probe; then cd /usr; fi; x $(pwd) k", "x|?|k");
    row("subshells", "v=1; (if probe; then v=2; fi); x $v", "x|1");
    row("definitions", "if probe; then f() { v=1; }; else f() { v=2; }; fi; v=3; x k", "x|k");
    row("not", "v=1; if ! probe; then v=2; fi; x $v", "x|?");
    row("within", "if probe; then if [ a = a ]; then v=1; fi; else v=1; fi; x $v", "x|1");
    row("read", "v=1; if read v < /dev/null; then w=2; else w=3; fi; x ${w:-4} k", "x|?|k");
    row("shifted arguments", "set -- a b; if probe; then shift; fi; x \"$@\" $# $1 k", "x|?|b|?|?|k");
    row("arguments after unknown ones", "set -- $A b c; x $# $2; true", "x|?|?");
    row("local in a branch", "v=1; f() { if probe; then local v=2; fi; v=3; }; f; x $v k", "x|?|k");
    row("unset", "v=1; if probe; then unset v; fi; x k ${v:-2}", "x|k|?");
}

void ShellScriptTest::unknownBranches()
{
    QFETCH(QString, script);
    QFETCH(QString, words);
    const shell::Script read = scriptOf(script.toStdString());
    const shell::Command* command = findCommand(read, "x");
    QVERIFY2(command != nullptr, notesOf(read).c_str());
    QCOMPARE(unknownTextOf(*command).section(" / ", 0, 0), words);
    for (const char* outcome : {"true", "false"}) {
        const std::string text = QString(script).replace("probe", outcome).toStdString();
        const auto bash = test::bashArguments(text, "x");
        QVERIFY(bash);
        QVERIFY2(isSubsequence(argumentsOf(*command), bash->argv), outcome);
    }
}

void ShellScriptTest::notes_data()
{
    QTest::addColumn<QString>("script");
    QTest::addColumn<QString>("note"); // "LINE! ..." where something is lost, else "LINE: ..."
    const auto row = [](const char* name, const char* script, const char* note) {
        QTest::newRow(name) << script << note;
    };
    row("nothing", "a=1\nx ${1:-vllm} $HOME $(pwd)", "");
    row("defaults", "N=${N:-4}\nx $N",
        "1: the script's defaults are used for variables that a caller may set: N");
    row("arguments", "x \"$@\"", "1: $@: the arguments of the script; none are assumed");
    row("a possible end", "if [ -f /x ]; then exit 1; fi\nx", "1: the script may end here");
    row("another file", "source env.sh\nx", "1! sources env.sh; the file was not read");
    row("a file of the host", ". ~/.bashrc\nx", "1! sources $HOME/.bashrc; the file was not read");
    row("calls without end", "f() { f; }\nf\nx", "! function calls nested too deep");
    row("maps", "declare -A M\nx", "1! maps and references to names are not supported");
    row("a trap", "trap 'rm x' EXIT\nx", "1: trap was not imported");
}

void ShellScriptTest::notes()
{
    QFETCH(QString, script);
    QFETCH(QString, note);
    const shell::Script read = scriptOf(script.toStdString());
    QVERIFY2(findCommand(read, "x") != nullptr, notesOf(read).c_str());
    QVERIFY2(QString::fromStdString(notesOf(read)).contains(note), notesOf(read).c_str());
    if (note.isEmpty()) QVERIFY2(read.notes.empty(), notesOf(read).c_str());
}

void ShellScriptTest::givenValues()
{
    const std::string text =
        "D=${D:-$(probe)}\nexport E=$(date)\nK=known\nif [ $D = gpu ]; then v=1; else v=2; fi\n"
        "if [ -f /x ]; then w=3; else w=4; fi\nx $D $v $w $K $1 $#\n";
    shell::ScriptOptions options;
    options.values = {{"D", "gpu"}, {"w", "5"}, {"K", "no"}, {"1", "a"}, {"E", "e"}};
    const Result<shell::Script> read = shell::readScript(text, options);
    QVERIFY(read);
    const shell::Command* command = findCommand(*read, "x");
    QCOMPARE(unknownTextOf(*command), QString("x|gpu|1|5|known|a|1"));
    QCOMPARE(command->environment.size(), size_t(1));
    QCOMPARE(command->environment[0].second.text, std::string("e"));
    // A value that the script has used is not given again for what the script makes of it.
    options.values = {{"P", "7"}};
    const Result<shell::Script> used = shell::readScript("if probe; then P=/a:$P; fi\nx $P\n", options);
    QVERIFY(used);
    QCOMPARE(unknownTextOf(*findCommand(*used, "x")), QString("x|? / P: whether probe succeeds (line 1)"));
}

void ShellScriptTest::sourcedFiles()
{
    shell::ScriptOptions options;
    options.path = "/p/q/run.sh";
    std::vector<std::string> paths;
    options.readFile = [&paths](const std::string& path) -> Result<std::string> {
        paths.push_back(path);
        if (path == "/p/q/../env.sh") return std::string("A=1\nreturn 0\nA=2\n");
        if (path == "/p/q/lib/b.sh")
            return std::string("B=$(basename ${BASH_SOURCE[0]} .sh); C=$X; f() { F=$1; }\n");
        return makeError(ErrorKind::io, "no such file");
    };
    const char* const text =
        "DIR=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\"\nsource $DIR/../env.sh\n"
        "X=5 . lib/b.sh\nf 7\nx $A $B $C $F $X ${DIR##*/} $(basename $0)\n"
        "source /etc/profile\nsource ~/x\nsource gone.sh\n";
    const Result<shell::Script> read = shell::readScript(text, options);
    QVERIFY(read);
    QCOMPARE(unknownTextOf(*findCommand(*read, "x")),
             QString("x|1|b|5|7|?|q|run.sh / X: not set in the script (line 5)"));
    QCOMPARE(paths, (std::vector<std::string>{"/p/q/../env.sh", "/p/q/lib/b.sh", "/p/q/gone.sh"}));
    const std::string notes = notesOf(*read);
    for (const char* note :
         {"3: sources lib/b.sh, read from the folder of the script", "6! sources /etc/profile",
          "7! sources $HOME/x", "8! sources gone.sh; the file was not read (no such file)"})
        QVERIFY2(notes.find(note) != std::string::npos, notes.c_str());
    QVERIFY(unknownTextOf(*findCommand(*shell::readScript(text), "x")).contains("?|?|?"));
}

void ShellScriptTest::lineNumbersAreCorrect()
{
    const shell::Script read =
        scriptOf("a\n\n# x\nb \\\n  c\nA=(1\n 2\n 3)\nd \"e\nf\"\ncat <<E\n1\n2\nE\ng\n");
    std::vector<int> lines;
    for (const shell::Command& command : read.commands)
        lines.push_back(command.line);
    QCOMPARE(lines, (std::vector<int>{1, 4, 9, 11, 15}));
}

void ShellScriptTest::environmentAndFolder()
{
    const shell::Script read =
        scriptOf("export A=1 B; B=2; C=3\ncd /w; cd sub\nD=4 x\nx2\n(cd /other; x3)\nx4\n"
                 "set -a; E=5; set +a; F=6\nx5\n");
    const auto envOf = [&](std::string_view name) {
        std::string text;
        for (const auto& [key, value] : findCommand(read, name)->environment)
            text += key + "=" + value.text + " ";
        return text;
    };
    QCOMPARE(envOf("x"), std::string("A=1 D=4 "));
    QCOMPARE(envOf("x2"), std::string("A=1 "));
    QCOMPARE(envOf("x5"), std::string("A=1 E=5 "));
    QCOMPARE(findCommand(read, "x")->folder.text, std::string("/w/sub"));
    QCOMPARE(findCommand(read, "x3")->folder.text, std::string("/other"));
    QCOMPARE(findCommand(read, "x4")->folder.text, std::string("/w/sub"));
    QCOMPARE(scriptOf("#SBATCH -N 2\n#SBATCH --job-name='a b'\nx").batchOptions,
             (std::vector<std::string>{"-N", "2", "--job-name=a b"}));
}

void ShellScriptTest::arithmetic()
{
    const shell::ValueOf none = [](std::string_view) { return std::nullopt; };
    QCOMPARE(shell::evaluate("2+3*4-(5-1)/2", none).value_or(0), int64_t(12));
    QCOMPARE(shell::evaluate("-9223372036854775807-1", none).value_or(0),
             std::numeric_limits<int64_t>::min());
    for (const char* wrong : {"",
                              "1/0",
                              "1%0",
                              "x",
                              "1+",
                              "(1",
                              "9223372036854775807+1",
                              "x=1",
                              "x++",
                              "++x",
                              "9223372036854775807*9223372036854775807",
                              "1 2",
                              "08",
                              "0x1F",
                              "2**9",
                              "a b",
                              "$x",
                              "1<<2",
                              "1|2",
                              "1&2",
                              "1^2",
                              "~1",
                              "1,2",
                              "1?2"}) {
        QVERIFY2(!shell::evaluate(wrong, none), wrong);
    }
    QCOMPARE(shell::evaluate("(-9223372036854775807-1)/-1", none), std::optional<int64_t>());
}

void ShellScriptTest::workIsLimited_data()
{
    QTest::addColumn<QByteArray>("script");
    const auto row = [](const char* name, const std::string& script) {
        QTest::newRow(name) << QByteArray::fromStdString(script);
    };
    const auto times = [](int count, const std::string& text) {
        std::string out;
        for (int i = 0; i < count; ++i)
            out += text;
        return out;
    };
    row("doubling", "a=b\n" + times(100, "a=$a$a\n") + "x $a");
    row("doubling arrays", "a=(b)\n" + times(60, "a=(\"${a[@]}\" \"${a[@]}\")\n"));
    row("brackets", times(200'000, "("));
    row("braces", "x " + times(50'000, "${a:-") + "b");
    row("dollars", "x " + times(50'000, "$("));
    row("quotes in quotes", "x " + times(20'000, "\"$("));
    row("conditions", times(5'000, "if [ $o ]; then v=1; fi\n"));
    row("nested conditions", times(500, "if [ $o ]; then ") + "v=1; " + times(500, "fi; "));
    row("many variables in branches", [&] {
        std::string text;
        for (int i = 0; i < 3'000; ++i)
            text += "v" + std::to_string(i) + "=1\n";
        return text + times(3'000, "[ $o ] && a=1\n");
    }());
    row("calls of two", "f() { g; g; }; g() { h; h; }; h() { f; f; }\nf");
    row("evals", "e='eval \"$e\"; eval \"$e\"'\neval \"$e\"");
    row("evals that grow", "e='e=$e$e; eval \"$e\"'\neval \"$e\"");
    row("sums", "a=b+b+b;b=c+c+c;c=d+d+d;d=e+e+e;e=f+f+f;f=g+g+g;g=h+h+h;h=1\nx $((a))");
    row("deep sums", "x $((" + times(50'000, "(") + "1" + times(50'000, ")") + "))");
    row("commands", times(100'000, "x\n"));
    row("patterns", "a=" + std::string(100'000, 'a') + "\nx ${a%%*b*b*b} ${a//a*/b}");
    row("a large text", std::string(1 << 20, 'a'));
    row("lines", times(500'000, "\n"));
    row("semicolons", times(300'000, ";"));
}

void ShellScriptTest::workIsLimited()
{
    QFETCH(QByteArray, script);
    const test::CpuTimer timer;
    (void)shell::readScript(script.toStdString());
    QVERIFY2(timer.elapsed_ms() < 20'000, std::to_string(timer.elapsed_ms()).c_str());
}

void ShellScriptTest::unclosedQuotesHaveAPosition()
{
    const auto messageOf = [](const char* text) { return shell::readScript(text).error().message; };
    QVERIFY(messageOf("a\n  'b").starts_with("line 2, column 3: "));
    QVERIFY(messageOf("a \"b $(c").starts_with("line 1, column 3: "));
    QVERIFY(messageOf("a\nA=(b c").starts_with("line 2, column 1: "));
    QVERIFY(messageOf("[[ a").starts_with("line 1, column 1: "));
    QVERIFY(!shell::readScript(std::string((1 << 20) + 1, 'a')));
}

LOCKSTEP_TEST(ShellScriptTest, "shell_script_test")
#include "shell_script_test.moc"
