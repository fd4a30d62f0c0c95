// SPDX-License-Identifier: Apache-2.0
// Tests a disk that stays full until the very end, and a run folder that several nodes share.
#include <QElapsedTimer>
#include <QTest>

#include <atomic>
#include <fstream>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

#include "tests/support/agent_run.h"
#include "tests/support/places.h"
#include "tests/support/small_disk.h"
#include "tests/support/test_registry.h"

using namespace lockstep::test;

namespace {

// Allocates all space that becomes free on a disk, until stopped.
class Filler {
  public:
    explicit Filler(std::filesystem::path file)
        : m_file(std::move(file)), m_thread([this] {
              const int fd = ::open(m_file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
              const std::string block(4096, 'x');
              while (!m_isOver) {
                  while (::write(fd, block.data(), block.size()) > 0) {
                  }
              }
              ::close(fd);
          })
    {
    }
    void giveBack()
    {
        m_isOver = true;
        if (m_thread.joinable()) m_thread.join();
        std::filesystem::remove(m_file);
    }
    ~Filler() { giveBack(); }

  private:
    std::filesystem::path m_file;
    std::atomic<bool> m_isOver = false;
    std::thread m_thread;
};

// Returns how often a process gave up its processor voluntarily, for example to sleep.
qint64 sleepsOf(int pid)
{
    std::ifstream file("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("voluntary_ctxt_switches:")) return std::stoll(line.substr(24));
    }
    return -1;
}

} // namespace

class AgentDiskTest : public QObject {
    Q_OBJECT

  private slots:
    void endWaitingForSpaceIsReported()
    {
        // On the fullest disk only the rest of the log's last page is free; an end event with so long a name
        // does not fit there.
        QJsonObject plan = hostPlan({shell("until [ -e go ]; do sleep 0.05; done")});
        QJsonObject command = plan["commands"][0].toObject();
        command["purpose"] = QString(20'000, 'x');
        plan["commands"] = QJsonArray{command};
        AgentRun run(plan);
        const SmallDisk disk(run.folder(), "2m");
        if (!disk.isMounted) QSKIP("this user may not mount a small disk");
        QCOMPARE(run.start().status, 0);
        QTRY_VERIFY(std::filesystem::exists(run.folder() / "command-0" / "child.pid"));
        Filler filler(run.folder() / "filler");
        // Fills the disk to the last byte. The agent keeps a reserve for this case.
        QTRY_COMPARE(std::filesystem::space(run.folder()).available, std::uintmax_t(0));
        QProcess attached;
        attached.setProcessEnvironment(agentEnvironment(run.home()));
        attached.start(builtProgram("lockstep-agent"), {"attach", run.folderText()});
        std::ofstream(run.home() / "go") << "";
        QByteArray reportedText;
        const bool isReported = waitUntil([&] {
            reportedText += attached.readAllStandardOutput();
            return reportedText.contains("ended; waiting for disk space");
        });
        QVERIFY2(isReported, reportedText.right(2000).constData());
        filler.giveBack();
        QTRY_COMPARE(attached.state(), QProcess::NotRunning);
        reportedText += attached.readAllStandardOutput();
        QCOMPARE(attached.exitCode(), 0);
        QVERIFY(reportedText.contains("\"run\":true"));
        QVERIFY(isGapless(run.events()));
    }

    void sharedFolderIsScannedOncePerSecond()
    {
        const auto sleepsInTwoSeconds = [](bool isShared) {
            AgentRun run(hostPlan({shell("until [ -e go ]; do sleep 5; done")}));
            QProcess starter;
            QProcessEnvironment environment = agentEnvironment(run.home());
            if (isShared) environment.insert("LOCKSTEP_AGENT_SHARED_HOME", "1");
            starter.setProcessEnvironment(environment);
            starter.setWorkingDirectory(QString::fromStdString(run.home().string()));
            starter.start(builtProgram("lockstep-agent"),
                          {"run", "--plan", "plan.json", "--run-dir", run.folderText(), "--detach"});
            starter.waitForFinished(kPatience_ms);
            run.waitFor([](const QJsonObject& event) { return event["kind"] == "gpu"; });
            const qint64 before = sleepsOf(run.supervisor());
            QElapsedTimer clock;
            clock.start();
            // The log must contain two more heartbeats of samples, at one per second.
            const auto samples = ofKind(run.events(), "gpu").size();
            run.waitFor([&run, samples](const QJsonObject&) {
                return ofKind(run.events(), "gpu").size() >= samples + 3;
            });
            const double seconds = static_cast<double>(clock.elapsed()) / 1000;
            return static_cast<double>(sleepsOf(run.supervisor()) - before) / seconds;
        };
        const double usual = sleepsInTwoSeconds(false), shared = sleepsInTwoSeconds(true);
        QVERIFY2(shared < usual / 2, qPrintable(QString("%1 of %2 a second").arg(shared).arg(usual)));
    }
};

LOCKSTEP_TEST(AgentDiskTest, "agent_disk_test")
#include "agent_disk_test.moc"
