// SPDX-License-Identifier: Apache-2.0
// Tests the rules of spec/rl_profilers.md 1.4 and 1.5: which processes and steps are recorded, and into which
// reports.
#include "capture/inject/capture_gate.h"

#include "capture/inject/settings.h"
#include "tests/support/test_registry.h"

using namespace lockstep::capture;

namespace {

GateSettings gate(RangeKind range, std::vector<int64_t> steps, StepsAre stepsAre = StepsAre::names)
{
    GateSettings settings;
    settings.range = range;
    settings.steps = std::move(steps);
    settings.stepsAre = stepsAre;
    return settings;
}

// The sequence of events as text: "open step 2", "close".
class Told {
  public:
    explicit Told(GateSettings settings) : m_gate(std::move(settings)) { add(m_gate.started()); }

    void steps(int first, int last)
    {
        for (int step = first; step <= last; ++step) {
            add(m_gate.stepBegan(step));
            add(m_gate.stepEnded());
        }
    }
    void ranges(int count, std::string_view name = "")
    {
        for (int i = 0; i < count; ++i) {
            add(m_gate.rangeBegan(name));
            add(m_gate.rangeEnded());
        }
    }
    void stage(std::string_view role, std::string_view name)
    {
        add(m_gate.stageBegan(role, name));
        add(m_gate.stageEnded());
    }
    CaptureGate& operator*() { return m_gate; }
    CaptureGate* operator->() { return &m_gate; }
    void add(const GateDecision& decision)
    {
        if (decision.closes) m_words += "close; ";
        if (!decision.opens) return;
        m_words += "open";
        if (decision.opens->step) m_words += " step " + std::to_string(*decision.opens->step);
        if (decision.opens->range) m_words += " range " + std::to_string(*decision.opens->range);
        if (!decision.opens->stage.empty())
            m_words += " " + decision.opens->role + "/" + decision.opens->stage;
        m_words += "; ";
    }
    const std::string& words() const { return m_words; }

  private:
    CaptureGate m_gate;
    std::string m_words;
};

} // namespace

class CaptureGateTest : public QObject {
    Q_OBJECT

  private slots:
    void ranks_data()
    {
        QTest::addColumn<bool>("enabled");
        QTest::addColumn<bool>("allRanks");
        QTest::addColumn<std::vector<int64_t>>("ranks");
        QTest::addColumn<int>("rank");
        QTest::addColumn<bool>("chosen");
        using Ranks = std::vector<int64_t>;
        QTest::newRow("all ranks") << true << true << Ranks{} << 5 << true;
        QTest::newRow("all ranks override the list") << true << true << Ranks{0} << 5 << true;
        QTest::newRow("listed") << true << false << Ranks{0, 8} << 8 << true;
        QTest::newRow("not listed") << true << false << Ranks{0, 8} << 1 << false;
        QTest::newRow("rank 0 is not listed") << true << false << Ranks{8} << 0 << false;
        QTest::newRow("no list: rank 0") << true << false << Ranks{} << 0 << true;
        QTest::newRow("no list: rank 1") << true << false << Ranks{} << 1 << false;
        QTest::newRow("no list: a program without ranks") << true << false << Ranks{} << -1 << true;
        QTest::newRow("a list, and an unknown rank") << true << false << Ranks{0} << -1 << false;
        QTest::newRow("disabled") << false << true << Ranks{0} << 0 << false;
    }

    void ranks()
    {
        QFETCH(bool, enabled);
        QFETCH(bool, allRanks);
        QFETCH(std::vector<int64_t>, ranks);
        QFETCH(int, rank);
        GateSettings settings;
        settings.isAllRanks = allRanks;
        settings.ranks = ranks;
        const auto known = rank >= 0 ? std::optional(rank) : std::nullopt;
        QTEST(CaptureGate::isRankChosen(settings, enabled, known), "chosen");
    }

    void wholeSteps_data()
    {
        QTest::addColumn<std::vector<int64_t>>("steps");
        QTest::addColumn<bool>("continuous");
        QTest::addColumn<QString>("words");
        using Steps = std::vector<int64_t>;
        QTest::newRow("one report per step")
            << Steps{1, 2, 5} << false << "open step 1; close; open step 2; close; open step 5; close; ";
        QTest::newRow("adjacent steps share a report")
            << Steps{1, 2, 5} << true << "open step 1; close; open step 5; close; ";
        QTest::newRow("one step, continuous") << Steps{3} << true << "open step 3; close; ";
        QTest::newRow("the list extends beyond the run") << Steps{5, 6, 7} << true << "open step 5; ";
        QTest::newRow("beyond the run") << Steps{9} << false << "";
        QTest::newRow("all") << Steps{} << false << "open; ";
    }

    void wholeSteps()
    {
        QFETCH(std::vector<int64_t>, steps);
        QFETCH(bool, continuous);
        GateSettings settings = gate(RangeKind::all, steps);
        settings.isContinuous = continuous;
        Told told(settings);
        told.steps(1, 6);
        QTEST(QString::fromStdString(told.words()), "words");
    }

    void captureRanges_data()
    {
        QTest::addColumn<std::vector<int64_t>>("steps");
        QTest::addColumn<int>("stepsAre");
        QTest::addColumn<bool>("continuous");
        QTest::addColumn<QString>("words");
        using Steps = std::vector<int64_t>;
        const auto row = [](const char* name, const Steps& steps, StepsAre are, bool continuous,
                            const char* words) {
            QTest::newRow(name) << steps << static_cast<int>(are) << continuous << words;
        };
        row("every range", {}, StepsAre::ordinals, false,
            "open range 1; close; open range 2; close; open range 3; close; open range 4; close; ");
        row("the n-th", {2, 4}, StepsAre::ordinals, false,
            "open step 2 range 2; close; open step 4 range 4; close; ");
        row("the n-th, joined", {2, 3}, StepsAre::ordinals, true, "open step 2 range 2; close; ");
        // verl opens ranges only for its recorded steps: sorted(steps)[range - 1].
        row("listed", {2, 5}, StepsAre::listed, false,
            "open step 2 range 1; close; open step 5 range 2; close; open range 3; close; open range 4; close; ");
    }

    void captureRanges()
    {
        QFETCH(std::vector<int64_t>, steps);
        QFETCH(int, stepsAre);
        QFETCH(bool, continuous);
        GateSettings settings = gate(RangeKind::profilerApi, steps, static_cast<StepsAre>(stepsAre));
        settings.isContinuous = continuous;
        Told told(settings);
        told.ranges(4);
        QTEST(QString::fromStdString(told.words()), "words");
    }

    void rangesInsideNamedSteps()
    {
        GateSettings settings = gate(RangeKind::profilerApi, {2});
        Told told(settings);
        for (int step = 1; step <= 3; ++step) {
            told.add(told->stepBegan(step));
            told.ranges(1);
            told.add(told->stepEnded());
        }
        QCOMPARE(told.words(), std::string("open step 2 range 2; close; "));
    }

    void secondStartOfAnOpenRangeIsIgnored()
    {
        Told told(gate(RangeKind::profilerApi, {}, StepsAre::ordinals));
        told.add(told->rangeBegan(""));
        told.add(told->rangeBegan(""));
        told.add(told->rangeEnded());
        told.add(told->rangeEnded());
        QCOMPARE(told.words(), std::string("open range 1; close; "));
    }

    void discreteStages()
    {
        GateSettings settings = gate(RangeKind::all, {2});
        settings.isDiscrete = true;
        Told told(settings);
        for (int step = 1; step <= 3; ++step) {
            told.add(told->stepBegan(step));
            told.stage("actor", "update");
            told.stage("ref", "log_prob");
            told.add(told->stepEnded());
        }
        told.stage("actor", "outside a step");
        QCOMPARE(told.words(),
                 std::string("open step 2 actor/update; close; open step 2 ref/log_prob; close; "));
    }

    void nestedStagesBelongToTheOuterStage()
    {
        GateSettings settings = gate(RangeKind::all, {});
        settings.isDiscrete = true;
        Told told(settings);
        told.add(told->stageBegan("actor", "outer"));
        told.add(told->stageBegan("actor", "inner"));
        told.add(told->stageEnded());
        QCOMPARE(told.words(), std::string("open actor/outer; close; "));
    }

    void stepNames_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<qint64>("step");
        const std::pair<const char*, qint64> names[] = {
            {"step 12", 12},    {"Step#3", 3}, {"ProfilerStep#7", 7}, {"train_step_4", 4},
            {"step", -1},       {"12", -1},    {"footstep of 3", -1}, {"step 99999999999999999999", -1},
            {"stepping 3", -1}, {"", -1}};
        for (const auto& [name, step] : names)
            QTest::addRow("'%s'", name) << name << step;
    }

    void stepNames()
    {
        QFETCH(QString, name);
        QTEST(qint64(CaptureGate::stepOfName(name.toStdString()).value_or(-1)), "step");
    }

    void rangeNames()
    {
        GateSettings settings = gate(RangeKind::nvtx, {});
        settings.name = "train*";
        QVERIFY(CaptureGate(settings).isCaptureRange("training", ""));
        QVERIFY(!CaptureGate(settings).isCaptureRange("training", "other"));
        settings.domain = "*";
        settings.name = "train";
        QVERIFY(CaptureGate(settings).isCaptureRange("train", "other"));
        QVERIFY(!CaptureGate(settings).isCaptureRange("training", "other"));
    }

    void numberLists()
    {
        std::vector<int64_t> numbers;
        QVERIFY(readNumbers("[5, 1,2-3 ,1]", numbers));
        QCOMPARE(numbers, (std::vector<int64_t>{1, 2, 3, 5}));
        QVERIFY(!readNumbers("1,x", numbers));
        QVERIFY(!readNumbers("1-99999999", numbers));
        QVERIFY(readNumbers("[]", numbers));
        QVERIFY(numbers.empty());
    }

    void settingsFiles()
    {
        const auto fields =
            flatJson("{\"steps\": [1, 2], \"output\": \"a \\\"b\\\"\", \"discrete\": true, \"rank\": null}");
        QCOMPARE(fields.at("steps"), std::string("1,2"));
        QCOMPARE(fields.at("output"), std::string("a \"b\""));
        QCOMPARE(fields.at("discrete"), std::string("true"));
        QCOMPARE(fields.at("rank"), std::string());
        for (const char* const broken : {"", "[", "{\"a\"", "{\"a\": [1,", "{\"a\": {}}", "null"})
            QVERIFY2(flatJson(broken).empty(), broken);
    }
};

LOCKSTEP_TEST(CaptureGateTest, "capture_gate_test")
#include "capture_gate_test.moc"
