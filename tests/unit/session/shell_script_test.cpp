// SPDX-License-Identifier: Apache-2.0
// Compares the reader of launch scripts with bash itself where everything is known, and tests its messages
// where it is not.
#include <QTest>

#include <algorithm>

#include "core/session/shell/arithmetic.h"
#include "core/session/shell/pattern.h"
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
    for (const shell::Text& word : command.words)
        words.push_back(word.text);
    return words;
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
    void lineNumbersAreCorrect();
    void environmentAndFolder();
    void arithmetic();
    void patterns();
    void workIsLimited_data();
    void workIsLimited();
    void unclosedQuotesHaveAPosition();
};

void ShellScriptTest::asBashReadsIt_data()
{
    QTest::addColumn<QString>("script");
    const auto row = [](const char* name, const char* script) { QTest::newRow(name) << script; };
    row("quotes", "main_ppo 'a b' \"c d\" e\\ f \"g'h\" 'i\"j' $'k\\tl' '' \"\"");
    row("continuations", "main_ppo a \\\n  b \\\n  'c\nd' # e\n");
    row("assignments", "a=1; b=\"$a 2\"; c=$b; main_ppo $a $b \"$b\" \"${c}x\" ${a}y");
    row("defaults", "x=; main_ppo ${u:-d} ${u-d} ${x:-e} \"${x-f}\" ${x:+g} ${u+h} \"${v:=i j}\" $v");
    row("defaults in defaults", "a=1; main_ppo ${u:-${w:-$a}} ${u:-'q r'} ${u:-a b}");
    row("arrays", "A=(a \"b c\" # no\n d); A+=(e); main_ppo \"${A[@]}\" ${A[1]} ${#A[@]} \"${A[*]}\"");
    row("an empty array", "A=(); main_ppo x \"${A[@]}\" ${A[@]+\"${A[@]}\"} y");
    row("an array's guard", "A=(p \"q r\"); main_ppo ${A[@]+\"${A[@]}\"}");
    row("elements", "A[2]=c; A[0]=a; main_ppo ${A[0]} ${A[2]}");
    row("arithmetic",
        "a=3; main_ppo $((a*2+1)) $(( (a + 5) / 2 )) $((a>2?10:20)) $((2**10)) $((7%4)) $((-a))");
    row("patterns",
        "p=/m/Qwen/Q-7B.tar.gz; main_ppo ${p##*/} ${p#*/} ${p%.*} ${p%%.*} ${p/Q/x} ${p//Q/y} ${#p}");
    row("case and parts", "p=AbC; main_ppo ${p,,} ${p^^} ${p:1} ${p:0:2}");
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
    row("eval", "a='main_ppo x'; eval \"$a 'y z'\"");
    row("a command in variables", "P=main_ppo; A='b c'; $P $A \"$A\"");
    row("arguments set", "set -- a 'b c'; main_ppo \"$@\" $# $2; shift; true");
    row("hydra's words", "main_ppo x=[1,2] 'y=\"a,b\"' z=\"['p','q']\" ++k.l=null w='{a: 1}'");
    row("signs", "main_ppo a=b $ % @ + ~x 'a$b' \"a\\$b\" a#b");
    row("comments", "# main_ppo no\nmain_ppo a # b\n#c");
    row("windows", "a=1\r\nmain_ppo x\r\n");
    row("added text", "a=x; a+=y; a+=\" z\"; main_ppo \"$a\" $a");
    row("unset", "a=1; unset a; main_ppo ${a:-none}");
    row("not", "if ! [ a = b ]; then x=1; fi; main_ppo $x");
    row("while never", "while false; do main_ppo no; done; main_ppo yes");
    row("nested", "for i in a; do if [ $i = a ]; then case $i in a) main_ppo deep;; esac; fi; done");
}

void ShellScriptTest::asBashReadsIt()
{
    QFETCH(QString, script);
    const std::string text = script.toStdString();
    const bool isWindows = text.find('\r') != std::string::npos;
    // bash does not handle files from Windows: its words end with a carriage return there.
    const std::optional<test::BashArguments> bash =
        test::bashArguments(isWindows ? script.remove('\r').toStdString() : text, "main_ppo", {});
    QVERIFY(bash);
    const shell::Script read = scriptOf(text);
    const shell::Command* command = findCommand(read, "main_ppo");
    QVERIFY2(command != nullptr, notesOf(read).c_str());
    QCOMPARE(argumentsOf(*command), bash->argv);
    QVERIFY(std::ranges::all_of(command->words, [](const shell::Text& word) { return word.isKnown; }));
    QVERIFY(command->isCertain);
}

void ShellScriptTest::unknownParts_data()
{
    QTest::addColumn<QString>("script");
    QTest::addColumn<QString>("words"); // arguments of the command x, joined by '|'
    QTest::addColumn<QString>("note");  // "LINE! ..." where something is lost, else "LINE: ..."
    const auto row = [](const char* name, const char* script, const char* words, const char* note) {
        QTest::newRow(name) << script << words << note;
    };
    row("a variable from outside", "x $HOME/data", "x|$HOME/data", "1! $HOME is not set in this text");
    row("a command", "\nx $(date +%s) a", "x|$(date +%s)|a", "2! $(date +%s) would run a command");
    row("an old command", "x `id -u`", "x|`id -u`", "1! `id -u` would run a command");
    row("the script's arguments", "x a \"$@\" b", "x|a|b", "1: $@ refers to the arguments of the script");
    row("an argument", "x $1", "x|$1", "1! $1 is an argument of the script and unknown");
    row("an argument's default", "x ${1:-vllm}", "x|vllm", "");
    row("defaults", "N=${N:-4}\nx $N", "x|4",
        "1: the script's defaults are used for variables that a caller may set: N");
    row("a demand", "x ${M:?give it}", "x|${M}", "1! $M must be set by the caller");
    row("a branch", "v=1\nif [ -f /etc/x ]; then v=2; fi\nx $v", "x|1",
        "2! can't evaluate this 'if'; previous value, if any, kept for: v");
    row("two branches", "if [ $O = 1 ]; then v=2; else v=3; fi\nx $v", "x|2",
        "1! can't evaluate this 'if'; first branch assumed for: v");
    row("a way out", "if [ -z \"$O\" ]; then exit 1; fi\nv=5; x $v", "x|5", "1! can't evaluate this 'if'");
    row("a sure way out", "if [ a = a ]; then exit 1; fi\nx 1", "x|1", "1! the script ends here");
    row("a loop", "for s in $O; do\nx $s\ndone", "x|$O",
        "1! iterations of the loop that are read: 1, the first with s=$O");
    row("a loop that is left", "for s in 1 2; do\nx $s\nbreak; done", "x|1", "1! the loop is read up to");
    row("an endless loop", "while [ $O ]; do y; done\nx", "x", "1! the loop was not read");
    row("a retried command", "while true; do x a; done", "x|a", "1! only one iteration of the loop is read");
    row("a here-document", "cat <<E\na\nE\nx", "x",
        "1! here-documents are not supported; skipped (lines 1 to 3)");
    row("another file", "source env.sh\nx", "x", "1! sources env.sh");
    row("files", "x *.txt", "x|*.txt", "1! *.txt may match files");
    row("several words", "x {a,b}", "x|{a,b}", "1! bash would expand {a,b} to several arguments");
    row("home", "x ~/a", "x|~/a", "1! ~/a: ~ is the home folder");
    row("input", "read V\nx $V", "x|$V", "1! read sets V");
    row("or", "y || exit 1\nx", "x", "1: the command after || runs only after a failure");
    row("sums of the unknown", "x $((O + 1))", "x|$((O + 1))", "1! can't evaluate $((O + 1))");
    row("too clever", "x ${!O}", "x|${!O}", "1! ${!O} is not supported");
    row("calls without end", "f() { f; }\nf\nx", "x", "! function calls nested too deep");
}

void ShellScriptTest::unknownParts()
{
    QFETCH(QString, script);
    QFETCH(QString, words);
    QFETCH(QString, note);
    const shell::Script read = scriptOf(script.toStdString());
    const shell::Command* command = findCommand(read, "x");
    QVERIFY2(command != nullptr, notesOf(read).c_str());
    QStringList joined;
    for (const std::string& word : argumentsOf(*command))
        joined << QString::fromStdString(word);
    QCOMPARE(joined.join('|'), words);
    QVERIFY2(QString::fromStdString(notesOf(read)).contains(note), notesOf(read).c_str());
    if (note.isEmpty()) QVERIFY2(read.notes.empty(), notesOf(read).c_str());
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
    QCOMPARE(shell::evaluate("0x1F + 010 + (1<<4)", none).value_or(0), int64_t(55));
    QCOMPARE(shell::evaluate("-9223372036854775807-1", none).value_or(0),
             std::numeric_limits<int64_t>::min());
    for (const char* wrong : {"", "1/0", "1%0", "x", "1+", "(1", "9223372036854775807+1", "x=1", "x++", "++x",
                              "9223372036854775807*9223372036854775807", "1 2", "08", "2**99", "a b", "$x"}) {
        QVERIFY2(!shell::evaluate(wrong, none), wrong);
    }
    QCOMPARE(shell::evaluate("(-9223372036854775807-1)/-1", none), std::optional<int64_t>());
    const shell::ValueOf self = [](std::string_view) { return std::optional<std::string>("x+x"); };
    QVERIFY(!shell::evaluate("x", self));
}

void ShellScriptTest::patterns()
{
    QVERIFY(shell::matches("a*c", "abbc") && shell::matches("*", "") && shell::matches("[a-c]?[!x]", "bzy"));
    QVERIFY(!shell::matches("a*c", "abcd") && !shell::matches("?", "") && !shell::matches("[!a]", "a"));
    QVERIFY(shell::matches("[", "[") && shell::matches("\\*", "*") && !shell::matches("\\*", "a"));
    const test::CpuTimer timer;
    QVERIFY(!shell::matches("a*a*a*a*a*a*a*a*a*a*b", std::string(5000, 'a')));
    QVERIFY(timer.elapsed_ms() < 5000);
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
    QVERIFY(messageOf("a\nA=(b c").starts_with("line 2, column 3: "));
    QVERIFY(messageOf("[[ a").starts_with("line 1, column 1: "));
    QVERIFY(!shell::readScript(std::string((1 << 20) + 1, 'a')));
}

LOCKSTEP_TEST(ShellScriptTest, "shell_script_test")
#include "shell_script_test.moc"
