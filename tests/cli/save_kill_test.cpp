// SPDX-License-Identifier: Apache-2.0
// Tests that a program killed while it saves leaves the old workspace or the new one, never a partial one,
// and does not accumulate temporary files. LOCKSTEP_KILLS sets the number of attempts; the nightly tests use
// 200.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <thread>

#include <QProcess>

#include "tests/support/places.h"
#include "tests/support/program_run.h"
#include "tests/support/slowness.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace fs = std::filesystem;

namespace {

// A trace that takes long enough to write to be interrupted in the middle.
std::string longTrace(int64_t slices, int64_t begin)
{
    std::string text = R"({"traceEvents":[)";
    for (int64_t i = 0; i < slices; ++i) {
        const std::string number = std::to_string(i);
        text += (i > 0 ? "," : "") + std::string(R"({"ph":"X","ts":)") + std::to_string(begin + i * 7) +
                R"(,"dur":)" + std::to_string(1 + (i * 2'654'435) % 6) + R"(,"pid":1,"tid":)" +
                std::to_string(i % 5) + R"(,"name":"op )" + std::to_string((i * 40'503) % 9'973) +
                R"(","cat":"cpu_op"})";
    }
    return text + "]}";
}

} // namespace

class SaveKillTest : public QObject {
    Q_OBJECT

  private slots:
    void leavesTheOldOrTheNewWorkspace()
    {
        const test::TempDir folder;
        const fs::path input[2] = {folder.write("a.json", longTrace(60'000, 1'000)),
                                   folder.write("b.json", longTrace(60'000, 5'000))};
        fs::create_directories(folder.path() / "out");
        const fs::path target = folder.path() / "out" / "run.lockstep";
        QByteArray whole[2];
        for (int i = 0; i < 2; ++i) {
            QCOMPARE(test::runLockstep(arguments(input[i], target)).status, 0);
            whole[i] = digestOf(target);
        }
        QVERIFY(whole[0] != whole[1]);
        int64_t usual_us = timeToSave(input[0], target);
        for (int i = 0; i < 2; ++i)
            usual_us = std::min(usual_us, timeToSave(input[0], target));
        whole[0] = digestOf(target);
        const uint64_t seed = std::random_device{}();
        std::mt19937_64 random(seed);
        int killed = 0, renewed = 0, other = 0;
        const int kills = std::max(1, qEnvironmentVariable("LOCKSTEP_KILLS", "20").toInt());
        for (int tried = 0; killed < kills && tried < kills * 20; ++tried) {
            const QByteArray before = digestOf(target);
            const int next = tried % 2;
            const int64_t after_us =
                usual_us / 3 + static_cast<int64_t>(random() % static_cast<uint64_t>(usual_us));
            killed += killsAfter(input[next], target, after_us) ? 1 : 0;
            const QByteArray now = digestOf(target);
            const QByteArray said =
                "seed " + QByteArray::number(quint64(seed)) + ", try " + QByteArray::number(tried);
            QVERIFY2(now == before || now == whole[next], said);
            (now == before ? other : renewed) += 1;
        }
        QVERIFY2(killed >= kills, "every save finished before the kill");
        std::printf("%d kills, %d old, %d new\n", killed, other, renewed);
        // The last workspace opens, and a later save leaves only one file.
        QCOMPARE(test::runLockstep({"--export", "inventory", QString::fromStdString(target.string())}).status,
                 0);
        QCOMPARE(test::runLockstep(arguments(input[0], target)).status, 0);
        QVERIFY2(test::filesIn(folder.path() / "out") <= 3, "half-written files accumulate");
    }

  private:
    static QStringList arguments(const fs::path& input, const fs::path& target)
    {
        return {"--export",
                "workspace",
                "--align",
                "zero",
                "-o",
                QString::fromStdString(target.string()),
                QString::fromStdString(input.string())};
    }

    static QByteArray digestOf(const fs::path& file)
    {
        return QByteArray::fromStdString(test::contentOf(file));
    }

    static int64_t timeToSave(const fs::path& input, const fs::path& target)
    {
        const auto began = std::chrono::steady_clock::now();
        test::runLockstep(arguments(input, target));
        return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - began)
            .count();
    }

    // Returns false if the save was complete before the kill.
    static bool killsAfter(const fs::path& input, const fs::path& target, int64_t after_us)
    {
        QProcess program;
        QProcessEnvironment environment = test::bareEnvironment();
        test::addSanitizerOptions(environment);
        program.setProcessEnvironment(environment);
        program.start(test::builtProgram("lockstep"), arguments(input, target));
        program.waitForStarted(test::kPatience_ms);
        // The delay is the test's parameter; it does not wait for anything.
        std::this_thread::sleep_for(std::chrono::microseconds(after_us));
        program.kill();
        program.waitForFinished(test::kPatience_ms);
        return program.exitStatus() == QProcess::CrashExit;
    }
};

LOCKSTEP_TEST(SaveKillTest, "save_kill_test")
#include "save_kill_test.moc"
