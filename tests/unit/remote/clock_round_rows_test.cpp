// SPDX-License-Identifier: Apache-2.0
// Tests clock comparisons in a host's event log: which ones are stored, which are damage, and that a
// workspace file preserves them.
#include <algorithm>

#include "core/readers/reader.h"
#include "core/readers/workspace_file/workspace_file.h"
#include "core/remote/clock_exchange.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

constexpr const char* kRoundLine =
    "{'seq':2,'t_ns':1100,'kind':'clock_exchange','boot':'00000000-0000-0000-0000-000000000001',"
    "'clock':'CLOCK_MONOTONIC_RAW','delay_ns':30,'peer':'gpu-00',"
    "'peer_boot':'00000000-0000-0000-0000-000000000002','peer_wall_doubt_ns':60,'peer_wall_ns':1700,"
    "'state':'round','t1_ns':1000,'t2_ns':5020,'t3_ns':5040,'t4_ns':1050,'via':'udp','wall_doubt_ns':50,"
    "'wall_ns':-4}\n";
constexpr const char* kReadingLine =
    "{'seq':3,'t_ns':1100,'kind':'clock_exchange','boot':'00000000-0000-0000-0000-000000000001','raw_ns':900,"
    "'state':'reading','wall_doubt_ns':40,'wall_ns':7}\n";
constexpr const char* kLogBegin = "{'seq':1,'t_ns':1000,'kind':'started','pid':4}\n";

std::shared_ptr<const Report> readHostLog(const test::TempDir& folder, std::string text)
{
    // Numbered in order and with an end, as an agent writes them.
    const std::string lines = kLogBegin + text + "{'seq':0,'t_ns':1200,'kind':'exit','run':true,'code':0}\n";
    text.clear();
    size_t seq = 0;
    for (size_t begin = 0; begin < lines.size();) {
        const size_t end = lines.find('\n', begin) + 1;
        text += "{'seq':" + std::to_string(++seq) +
                lines.substr(lines.find(',', begin), end - lines.find(',', begin));
        begin = end;
    }
    std::replace(text.begin(), text.end(), '\'', '"');
    const auto report = readReport(folder.write("gpu-01.events.jsonl", text), Progress());
    return report ? *report : nullptr;
}

std::string roundWith(const std::string& from, const std::string& to)
{
    std::string text = kRoundLine;
    const size_t at = text.find(from);
    if (at == std::string::npos) qFatal("no such field");
    return text.replace(at, from.size(), to);
}

} // namespace

class ClockRoundRowsTest : public QObject {
    Q_OBJECT

  private slots:
    void roundsAndReadingsAreStored()
    {
        const test::TempDir folder;
        const auto report = readHostLog(folder, std::string(kReadingLine) + kRoundLine);
        QVERIFY(report);
        QCOMPARE(report->clockRounds.size(), size_t(2));
        const ClockRound reading = report->clockRounds[0], round = report->clockRounds[1];
        QVERIFY(reading.isReading());
        QCOMPARE(reading.sent_ns, int64_t(900));
        QCOMPARE(reading.wall_ns, int64_t(7));
        QCOMPARE(std::string(report->strings.at(round.peer)), std::string("gpu-00"));
        QCOMPARE(std::string(report->strings.at(round.boot)).back(), '1');
        QCOMPARE(std::string(report->strings.at(round.peerBoot)).back(), '2');
        QCOMPARE(round.least_ns(), int64_t(3990));
        QCOMPARE(round.greatest_ns(), int64_t(4020));
        QCOMPARE(round.peerUncertainty_ns, 60u);
        QCOMPARE(round.isOverLink, 0u);
        QVERIFY(report->notes.all().empty());
    }

    void damageIsCounted_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("note");
        const auto row = [](const char* name, const std::string& line, const char* note) {
            QTest::newRow(name) << QString::fromStdString(line) << note;
        };
        row("no stamp", roundWith("'t1_ns':1000,", ""), "clocks.damaged");
        row("stamp is text", roundWith("'t2_ns':5020", "'t2_ns':'5020'"), "clocks.damaged");
        row("below zero", roundWith("'t3_ns':5040", "'t3_ns':-5040"), "clocks.damaged");
        row("beyond all clocks", roundWith("'t2_ns':5020", "'t2_ns':9223372036854775807"), "clocks.damaged");
        row("received before sent", roundWith("'t4_ns':1050", "'t4_ns':999"), "clocks.damaged");
        row("a delay below zero", roundWith("'t3_ns':5040", "'t3_ns':5080"), "clocks.damaged");
        row("another clock", roundWith("MONOTONIC_RAW", "REALTIME"), "clocks.damaged");
        row("no peer", roundWith("'peer':'gpu-00',", ""), "clocks.damaged");
        row("no boot", roundWith("'boot':'00000000-0000-0000-0000-000000000001'", "'boot':'x'"),
            "clocks.damaged");
        row("doubt below zero", roundWith("'wall_doubt_ns':50", "'wall_doubt_ns':-1"), "clocks.damaged");
        row("wall beyond", roundWith("'wall_ns':-4", "'wall_ns':-9223372036854775808"), "clocks.damaged");
        row("contradicts itself", roundWith("'delay_ns':30", "'delay_ns':31"), "clocks.contradicts_itself");
        row("reading", std::string(kReadingLine).replace(std::string(kReadingLine).find("900"), 3, "-9"),
            "clocks.damaged");
        row("dropped",
            "{'seq':4,'t_ns':1,'kind':'clock_exchange','state':'dropped','foreign':3,'not_written':0}\n",
            "clocks.dropped");
        row("left out", "{'seq':4,'t_ns':1,'kind':'clock_exchange','state':'dropped','not_written':2}\n",
            "clocks.left_out");
        row("unreachable", "{'seq':4,'t_ns':1,'kind':'clock_exchange','state':'unreachable','peer':'b'}\n",
            "clocks.unreachable");
        row("off", "{'seq':4,'t_ns':1,'kind':'clock_exchange','state':'off','text':'b'}\n", "clocks.off");
    }
    void damageIsCounted()
    {
        QFETCH(QString, line);
        QFETCH(QString, note);
        const test::TempDir folder;
        const auto report = readHostLog(folder, line.toStdString());
        QVERIFY(report);
        QVERIFY(report->clockRounds.empty());
        QCOMPARE(report->notes.all().size(), size_t(1));
        QCOMPARE(QString::fromStdString(report->notes.all()[0].kind), note);
        QCOMPARE(QString::fromStdString(report->notes.all()[0].example), QString("line 2"));
    }

    void repetitionsAreDropped()
    {
        const test::TempDir folder;
        const auto report = readHostLog(folder, std::string(kRoundLine) + kRoundLine);
        QCOMPARE(report->clockRounds.size(), size_t(1));
        QCOMPARE(report->notes.all()[0].kind, std::string("clocks.repeated"));
    }

    // A line from the launcher is between the host's lines, with seq 0.
    void roundsOverTheConnectionAreStored()
    {
        const test::TempDir folder;
        const auto line = linkRound(
            2'000, 9'000,
            R"({"realtime_ns":1700000000000000000,"monotonic_raw_ns":77000,"uncertainty_ns":100,"boot_id":"00000000-0000-0000-0000-000000000001"})");
        QVERIFY(line);
        QCOMPARE(line->first, int64_t(7'000));
        const auto report = readHostLog(folder, line->second + "\n");
        QCOMPARE(report->clockRounds.size(), size_t(1));
        const ClockRound round = report->clockRounds[0];
        QCOMPARE(round.isOverLink, 1u);
        QCOMPARE(round.least_ns(), int64_t(2'000 - 77'000));
        QCOMPARE(round.greatest_ns(), int64_t(9'000 - 77'000));
        QVERIFY(report->notes.all().empty());
        QVERIFY(!linkRound(2'000, 9'000, "no reading"));
        QVERIFY(!linkRound(9'000, 2'000, R"({"realtime_ns":1,"monotonic_raw_ns":1,"uncertainty_ns":1})"));
    }

    void workspacesPreserveThem()
    {
        const test::TempDir folder;
        const auto report = readHostLog(folder, std::string(kReadingLine) + kRoundLine);
        Workspace workspace;
        workspace.add(report);
        const auto path = folder.path() / "all.lockstep";
        const Progress progress(test::workers());
        const auto saved = saveWorkspaceFile(path, workspace, {}, progress);
        QVERIFY2(saved, saved ? "" : saved.error().message.c_str());
        const auto opened = openWorkspaceFile(path, progress);
        QVERIFY2(opened, opened ? "" : opened.error().message.c_str());
        const Report& again = opened->workspace.report(opened->workspace.keys()[0]);
        QVERIFY(std::ranges::equal(again.clockRounds, report->clockRounds));
        QCOMPARE(std::string(again.strings.at(again.clockRounds[1].peer)), std::string("gpu-00"));
    }
};

LOCKSTEP_TEST(ClockRoundRowsTest, "clock_round_rows_test")
#include "clock_round_rows_test.moc"
