// SPDX-License-Identifier: Apache-2.0
// Tests that the forecast never shows an unknown number of files as 0.
#include <QTest>

#include "core/session/expected_files.h"
#include "core/session/session_yaml.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

std::vector<ExpectedFile> filesOf(const std::string& yaml)
{
    const Result<SessionConfig> config = sessionFromYaml(yaml);
    if (!config) qFatal("%s", config.error().message.c_str());
    return forecastFiles(*config, {});
}

} // namespace

class ForecastUnknownTest : public QObject {
    Q_OBJECT

  private slots:
    void unknownNumbersAreStatedWithTheReason_data()
    {
        QTest::addColumn<QString>("session");
        QTest::addColumn<QString>("reason");
        const QString gpus = kGpusUnknown;
        QTest::newRow("own traces") << "framework: command\ncommand: [t]\ntool: torch\nsave_path: /s\n"
                                    << "the program itself decides how many traces it writes";
        QTest::newRow("torchrun") << "framework: torchrun\ncommand: [t.py]\ntool: nsys\nhosts: [{name: a}]\n"
                                     "torchrun: {nsys_placement: rank}\nlauncher: {kind: ssh}\n"
                                  << gpus;
        QTest::newRow("capture")
            << "framework: torchrun\ncommand: [t.py]\ntool: capture\nhosts: [{name: a}]\n"
               "launcher: {kind: ssh}\n"
            << gpus;
        QTest::newRow("verl") << "framework: verl\ncommand: [main_ppo]\ntool: torch\nsteps: [2]\n"
                                 "roles: {actor: {enable: true, all_ranks: true}}\n"
                              << gpus;
        QTest::newRow("NeMo RL engines")
            << "framework: nemo_rl\ncommand: [examples/run_grpo.py]\ntool: nsys\nsteps: [3]\n"
               "nemo_rl: {worker_patterns: [\"*generation*\"]}\n"
            << gpus;
        QTest::newRow("unknown program") << "framework: nemo_rl\ncommand: [run]\ntool: nsys\nsteps: [3]\n"
                                            "nemo_rl: {worker_patterns: [\"*policy*\"]}\n"
                                         << "the command does not show which program it starts";
        QTest::newRow("NeMo RL policy") << "framework: nemo_rl\ncommand: [examples/run_grpo.py]\ntool: "
                                           "nsys\nsteps: [3]\n"
                                           "nemo_rl: {worker_patterns: [\"*policy*\"]}\n"
                                        << gpus;
    }
    void unknownNumbersAreStatedWithTheReason()
    {
        QFETCH(QString, session);
        QFETCH(QString, reason);
        const std::vector<ExpectedFile> files = filesOf(session.toStdString());
        QVERIFY(!files.empty());
        const ForecastTotal total = forecastTotal(files);
        QVERIFY(total.isPartial && !total.isKnown);
        QCOMPARE(countText(total), std::string("unknown"));
        QCOMPARE(total.unknownReason, reason.toStdString());
        const std::string text = forecastText(files);
        QVERIFY2(text.find("number of files unknown: " + reason.toStdString()) != std::string::npos,
                 text.c_str());
        for (const char* wrong : {" 0 files", "?  ", "~0 MB"})
            QVERIFY2(text.find(wrong) == std::string::npos, text.c_str());
    }

    void sumsWithAnUnknownPartAreLowerBounds()
    {
        const auto files = filesOf(
            "framework: verl\ncommand: [main_ppo]\ntool: nsys\nsteps: [2]\ndiscrete: true\n"
            "roles: {actor: {enable: true, all_ranks: true}, critic: {enable: true, ranks: [0, 1]}}\n");
        const ForecastTotal total = forecastTotal(files);
        QVERIFY(total.isPartial && total.isKnown);
        QCOMPARE(countText(total), std::string("at least 3"));
        const std::string text = forecastText(files);
        QVERIFY2(text.find("total at least 3 files, at least ~") != std::string::npos, text.c_str());
    }

    void knownNumbersStayExact()
    {
        const auto files = filesOf("framework: command\ncommand: [t]\ntool: nsys\nsave_path: /s\n");
        QCOMPARE(countText(forecastTotal(files)), std::string("1"));
        QVERIFY(forecastText(files).find("unknown") == std::string::npos);
    }
};

LOCKSTEP_TEST(ForecastUnknownTest, "forecast_unknown_test")
#include "forecast_unknown_test.moc"
