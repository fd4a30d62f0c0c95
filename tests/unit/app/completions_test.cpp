// SPDX-License-Identifier: Apache-2.0
// Tests the table of options: --help, the man pages and shell completions list all of it and nothing else.
#include "app/cli/completions.h"

#include <set>

#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>

#include "app/cli/cli.h"
#include "app/cli/help_text.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

std::set<QString> tableOfOptions()
{
    std::set<QString> names;
    for (const OptionName& option : optionNames())
        names.insert(QString::fromUtf8(option.name.data(), qsizetype(option.name.size())));
    return names;
}

std::set<QString> matchesOf(const QString& pattern, const QString& text)
{
    std::set<QString> found;
    auto matches = QRegularExpression(pattern, QRegularExpression::MultilineOption).globalMatch(text);
    while (matches.hasNext())
        found.insert(matches.next().captured(1));
    return found;
}

QString manPage(const char* name)
{
    QFile page(QString::fromStdString((test::sourceFolder() / "packaging/man" / name).string()));
    return page.open(QIODevice::ReadOnly) ? QString::fromUtf8(page.readAll()) : QString();
}

QString scriptOf(Shell shell)
{
    return QString::fromStdString(completionScript(shell));
}

// Returns a program's complaint about a text that it reads as a file: "" = none.
QString judgedBy(const QString& program, QStringList arguments, const QString& text)
{
    QTemporaryDir folder;
    QFile file(folder.filePath("text"));
    if (!file.open(QIODevice::WriteOnly)) return "cannot write";
    file.write(text.toUtf8());
    file.close();
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments << file.fileName());
    if (!process.waitForFinished(test::kPatience_ms)) return "did not end";
    const QString said = QString::fromUtf8(process.readAll());
    return process.exitCode() == 0 ? said : said + " status " + QString::number(process.exitCode());
}

// Returns bash's completions for a line whose last word is being typed.
QStringList offeredByBash(const QStringList& words)
{
    const QString script = scriptOf(Shell::bash) +
                           "COMP_WORDS=(lockstep \"${@}\")\nCOMP_CWORD=$#\n_lockstep\n" +
                           "printf '%s\\n' \"${COMPREPLY[@]}\"\n";
    QProcess bash;
    bash.start("bash", QStringList{"-c", script, "bash"} + words);
    if (!bash.waitForFinished(test::kPatience_ms)) return {"bash did not end"};
    return QString::fromUtf8(bash.readAllStandardOutput() + bash.readAllStandardError())
        .split('\n', Qt::SkipEmptyParts);
}

} // namespace

class CompletionsTest : public QObject {
    Q_OBJECT

  private slots:
    void everyTextListsAllOptions()
    {
        const auto table = tableOfOptions();
        QVERIFY(table.size() > 40);
        for (const QString& option : table)
            QVERIFY2(!optionSummary(option.toStdString()).empty(), qPrintable(option));
        QString man = manPage("lockstep.1");
        QCOMPARE(matchesOf("(--[a-z][a-z-]+)", man.replace("\\-", "-")), table);
        QCOMPARE(matchesOf("^complete -c lockstep -l ([a-z-]+)", scriptOf(Shell::fish)).size(), table.size());
        QCOMPARE(matchesOf("'\\*(--[a-z-]+)[=\\[]", scriptOf(Shell::zsh)), table);
        const QStringList offered = offeredByBash({"--"});
        QCOMPARE(std::set<QString>(offered.begin(), offered.end()), table);
        for (const QString& option : table)
            QVERIFY2(scriptOf(Shell::fish).contains(" -l " + option.mid(2) + " "), qPrintable(option));
    }

    void everyChoiceIsAccepted()
    {
        size_t checked = 0;
        for (const OptionName& option : optionNames()) {
            for (const std::string& choice : optionChoices(option.name)) {
                const bool isWhat = option.name == "--export";
                std::vector<std::string> words{std::string(option.name), choice};
                const bool hasFormat = option.name == "--format";
                const bool isPictureWord = choice == "png" || choice == "svg" || choice == "pdf";
                const std::string what = hasFormat && choice == "html" ? "report"
                                         : isPictureWord               ? "timeline"
                                                                       : "inventory";
                if (!isWhat) words.insert(words.end(), {"--export", what});
                if (option.name == "--clip") words.insert(words.end(), {"--time-range", "1s..2s"});
                if (option.name == "--server")
                    words = {"--server", choice, "--record", "http://node1:8000", "--steps", "5"};
                else
                    words.insert(words.end(), {"-o", "out", "in.json"});
                const auto line = parseCommandLine(words);
                QVERIFY2(line, (words[0] + " " + choice + (line ? "" : ": " + line.error().message)).c_str());
                ++checked;
            }
        }
        QVERIFY(checked > 80);
    }

    void bashOffersValues()
    {
        QCOMPARE(offeredByBash({"--theme", "d"}), QStringList{"dark"});
        QCOMPARE(offeredByBash({"--clip", "=", "ex"}), QStringList{"exclude"});
        QCOMPARE(offeredByBash({"--clip", "="}), (QStringList{"include", "exclude"}));
        QCOMPARE(offeredByBash({"--export", "inventory,alig"}), QStringList{"inventory,alignment"});
        QCOMPARE(offeredByBash({"--output", "x"}), QStringList()); // bash's own: files
        QCOMPARE(offeredByBash({"run"}), QStringList());
    }

    void scriptsParse_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<int>("shell");
        QTest::newRow("bash") << "bash" << int(Shell::bash);
        QTest::newRow("zsh") << "zsh" << int(Shell::zsh);
        QTest::newRow("fish") << "fish" << int(Shell::fish);
    }

    void scriptsParse()
    {
        QFETCH(QString, program);
        QFETCH(int, shell);
        if (QStandardPaths::findExecutable(program).isEmpty())
            return qInfo("%s is not here: its script is not parsed", qPrintable(program));
        QCOMPARE(judgedBy(program, {"-n"}, scriptOf(static_cast<Shell>(shell))), QString());
    }

    void manPagesAreClean()
    {
        for (const char* page : {"lockstep.1", "lockstep-agent.1"}) {
            const QString text = manPage(page);
            QVERIFY2(!text.isEmpty(), page);
            QVERIFY2(!QStandardPaths::findExecutable("groff").isEmpty(), "groff-base is not installed");
            QCOMPARE(judgedBy("groff", {"-man", "-ww", "-z", "-Tutf8", "-Kutf8"}, text), QString());
        }
    }

    void agentManPageListsEveryOption()
    {
        QProcess agent;
        agent.start(test::builtProgram("lockstep-agent"), {"--help"});
        QVERIFY(agent.waitForFinished(test::kPatience_ms));
        const QString help = QString::fromUtf8(agent.readAllStandardOutput());
        QString page = manPage("lockstep-agent.1");
        page.replace("\\-", "-");
        const auto words = matchesOf("^  ([a-z][a-z-]+) ", help);
        QVERIFY(words.size() >= 10);
        QCOMPARE(
            matchesOf("^\\.BR ([a-z][a-z-]+) .*$", page.section(".SH COMMANDS", 1).section(".SH SEE", 0, 0)),
            words);
        QCOMPARE(matchesOf("(--[a-z][a-z-]+)", page), matchesOf("(--[a-z][a-z-]+)", help));
    }
};

LOCKSTEP_TEST(CompletionsTest, "completions_test")
#include "completions_test.moc"
