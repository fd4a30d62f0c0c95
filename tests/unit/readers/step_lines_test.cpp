// SPDX-License-Identifier: Apache-2.0
// Tests which time range belongs to a line that names a training step: lines that begin their step, lines
// that end it, of both kinds, of neither, missing, duplicated, out of order, from two commands and from two
// hosts.
#include <algorithm>

#include <QTest>

#include "core/readers/reader.h"
#include "core/readers/run_events/event_log_rows.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

// "b3@100": step 3 begins at 100; "e3@100": it ends; "3@100": not recorded which.
StepLine stepLineOf(const std::string& word, uint64_t row)
{
    StepLine line;
    const bool isMarked = word[0] == 'b' || word[0] == 'e';
    if (isMarked) line.mark = word[0] == 'b' ? StepLine::Mark::begins : StepLine::Mark::ends;
    const size_t at = word.find('@');
    line.step = std::stoll(word.substr(isMarked ? 1 : 0, at));
    line.time_ns = std::stoll(word.substr(at + 1));
    line.row = row;
    return line;
}

std::string textOfSteps(const std::vector<StepSlice>& slices, const ImportNotes& notes)
{
    std::string text;
    for (const StepSlice& slice : slices)
        text += slice.name + " " + std::to_string(slice.start_ns) + "-" + std::to_string(slice.end_ns) + "; ";
    for (const ImportNote& note : notes.all())
        text += "[" + note.kind.substr(note.kind.find('.') + 1) + " " + std::to_string(note.count) + "]";
    return text;
}

std::shared_ptr<const Report> reportOfLog(const test::TempDir& folder, const std::string& host,
                                          std::string text)
{
    std::replace(text.begin(), text.end(), '\'', '"');
    const auto report = readReport(folder.write(host + ".events.jsonl", text), Progress());
    if (!report) qFatal("%s", report.error().message.c_str());
    return *report;
}

std::string slicesOfLog(const Report& report)
{
    std::string text;
    for (size_t i = 0; i < report.tracks.size(); ++i) {
        const Track& track = report.tracks[i];
        text += std::string(report.strings.at(track.name)) + ":";
        for (uint32_t row = 0; row < track.sliceCount; ++row) {
            const SliceId slice(track.firstSlice.value + row);
            text += " " + std::string(report.nameOf(slice)) + " " +
                    std::to_string(report.slices.start_ns[slice.value]) + "+" +
                    std::to_string(report.slices.duration_ns[slice.value]);
        }
        text += "; ";
    }
    return text;
}

} // namespace

class StepLinesTest : public QObject {
    Q_OBJECT

  private slots:
    void slices_data()
    {
        QTest::addColumn<QString>("lines");
        QTest::addColumn<QString>("wanted");
        const auto row = [](const char* name, const char* lines, const char* wanted) {
            QTest::newRow(name) << lines << wanted;
        };
        row("ends: from the line before", "e1@100 e2@300 e3@600",
            "step 2 100-300; step 3 300-600; [first_step 1]");
        row("ends: what goes on is not guessed", "e0@100 e1@300", "step 1 100-300; [first_step 1]");
        row("begins: to the next line, the last to the end", "b1@100 b2@300 b3@600",
            "step 1 100-300; step 2 300-600; step 3 600-1000; ");
        row("not said: from its line on, and told", "1@100 2@300",
            "step 1 100-300; step 2 300-1000; [step_mark 2]");
        row("both ends: exactly those", "b1@100 e1@250 b2@300 e2@500", "step 1 100-250; step 2 300-500; ");
        row("others beside those that say it count for nothing", "1@90 e1@100 2@200 e2@300",
            "step 2 100-300; [first_step 1]");
        row("ends: missing", "e1@100 e5@500 e6@600",
            "steps 2-5 100-500; step 6 500-600; [first_step 1][steps_missing 1]");
        row("begins: missing", "b1@100 b4@400", "steps 1-3 100-400; step 4 400-1000; [steps_missing 1]");
        row("ends: doubled", "e1@100 e2@300 e2@310 e3@600",
            "step 2 100-300; step 3 300-600; [first_step 1][step_repeated 1]");
        row("begins: doubled", "b1@100 b1@110 b2@300", "step 1 100-300; step 2 300-1000; [step_repeated 1]");
        row("ends: out of order, and resumed", "e7@100 e5@300 e6@400",
            "step 5 100-300; step 6 300-400; [first_step 1][step_order 1]");
        row("begins: the next epoch", "b49@100 b50@300 b1@500",
            "step 49 100-300; step 50 300-500; step 1 500-1000; [step_order 1]");
        row("an end that is another's", "b1@100 e2@300 b3@400",
            "step 1 100-300; step 3 400-1000; [step_order 1]");
        row("none", "", "");
        row("numbers at their end", "e9223372036854775806@100 e9223372036854775807@200",
            "step 9223372036854775807 100-200; [first_step 1]");
    }
    void slices()
    {
        QFETCH(QString, lines);
        QFETCH(QString, wanted);
        StepLines steps;
        uint64_t row = 0;
        for (const QString& word : lines.split(' ', Qt::SkipEmptyParts))
            steps.take(stepLineOf(word.toStdString(), row++));
        ImportNotes notes;
        const auto slices = steps.slices(1000, notes);
        QCOMPARE(QString::fromStdString(textOfSteps(slices, notes)), wanted);
        ImportNotes again;
        QCOMPARE(textOfSteps(steps.slices(1000, again), again),
                 textOfSteps(slices, notes)); // while the log grows
    }

    // As the agent writes it: a command's end ends its last step, and each command has its own steps.
    void commandsAndHosts()
    {
        const test::TempDir folder;
        const auto verl = reportOfLog(folder, "a",
                                      "{'seq':1,'t_ns':100,'kind':'started','command':0,'name':'train'}\n"
                                      "{'seq':2,'t_ns':500,'kind':'step','command':0,'mark':'end','step':1}\n"
                                      "{'seq':3,'t_ns':900,'kind':'step','command':0,'mark':'end','step':2}\n"
                                      "{'seq':4,'t_ns':950,'kind':'exit','command':0,'code':0}\n"
                                      "{'seq':5,'t_ns':990,'kind':'gpu','cpu_percent':1}\n");
        QCOMPARE(slicesOfLog(*verl),
                 std::string("commands: train 100+850; training steps: step 2 500+400; "));
        const auto nemo =
            reportOfLog(folder, "b",
                        "{'seq':1,'t_ns':100,'kind':'started','command':0,'name':'x'}\n"
                        "{'seq':2,'t_ns':100,'kind':'started','command':1,'name':'y'}\n"
                        "{'seq':3,'t_ns':200,'kind':'step','command':1,'mark':'begin','step':1}\n"
                        "{'seq':4,'t_ns':250,'kind':'step','command':0,'step':8}\n"
                        "{'seq':5,'t_ns':300,'kind':'step','command':1,'mark':'begin','step':2}\n"
                        "{'seq':6,'t_ns':400,'kind':'exit','command':1,'code':0}\n"
                        "{'seq':7,'t_ns':600,'kind':'exit','command':0,'code':0}\n");
        const std::string text = slicesOfLog(*nemo);
        QVERIFY2(text.find("training steps of command 1: step 1 200+100 step 2 300+100;") !=
                     std::string::npos,
                 text.c_str());
        QVERIFY2(text.find("training steps of command 0: step 8 250+350;") != std::string::npos,
                 text.c_str());
        QCOMPARE(verl->identity.host.value, std::optional<std::string>("a"));
        QCOMPARE(verl->notes.all().at(0).kind, std::string("events.first_step"));
        QCOMPARE(nemo->identity.host.value, std::optional<std::string>("b"));
    }
};

LOCKSTEP_TEST(StepLinesTest, "step_lines_test")
#include "step_lines_test.moc"
