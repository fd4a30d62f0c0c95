// SPDX-License-Identifier: Apache-2.0
// Runs over a host that lies (tests/support/hostile_ssh.py): each ends by itself or at once with Ctrl-C, in
// little memory, and standard error names the host. `ctest -V` prints a line of figures for each.
#include <csignal>
#include <cstdio>

#include <QElapsedTimer>
#include <QStandardPaths>
#include <QTest>

#include "tests/support/lockstep_process.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep::test;

namespace fs = std::filesystem;

namespace {

constexpr qint64 kMost_MB = 200;
constexpr int kInterrupted = 130;

QString text(const fs::path& path)
{
    return QString::fromStdString(path.string());
}

qint64 peakMemory_MB(qint64 pid)
{
    QFile file("/proc/" + QString::number(pid) + "/status");
    if (!file.open(QIODevice::ReadOnly)) return 0;
    for (const QByteArray& line : file.readAll().split('\n')) {
        if (line.startsWith("VmHWM:")) return line.mid(6).trimmed().split(' ')[0].toLongLong() / 1024;
    }
    return 0;
}

// A session over one host that lies, in a folder of its own.
class HostileSite {
  public:
    HostileSite()
    {
        fs::create_directories(m_folder.path() / "bin");
        fs::create_directories(m_folder.path() / "home");
        fs::create_directories(m_folder.path() / "work");
        fs::copy_file(sourceFolder() / "tests/support/hostile_ssh.py", m_folder.path() / "bin" / "ssh");
        fs::permissions(m_folder.path() / "bin" / "ssh", fs::perms::owner_all);
        m_folder.write(
            "s.yaml",
            "lockstep_session: 1\nname: liar\nframework: command\nlauncher: {kind: ssh}\n"
            "hosts: [{name: evil}]\nclock_exchange: off\ntool: torch\nworking_folder: " +
                (m_folder.path() / "work").string() +
                "\nsave_path: reports\ncommand: [bash, \"-c\", \"mkdir -p reports; for i in 1 2; do echo "
                "'{\\\"schemaVersion\\\":1,\\\"traceEvents\\\":[{\\\"ph\\\":\\\"X\\\",\\\"name\\\":\\\"k\\\","
                "\\\"pid\\\":0,\\\"tid\\\":7,\\\"ts\\\":1,\\\"dur\\\":2}]}' > reports/rank$i.json; "
                "done\"]\n");
    }
    QProcessEnvironment environment(const QString& call, const QString& mode) const
    {
        QProcessEnvironment environment;
        environment.insert("LC_ALL", "C");
        environment.insert("PATH", text(m_folder.path() / "bin") + ":/usr/local/bin:/usr/bin:/bin");
        environment.insert("HOME", text(m_folder.path() / "home"));
        environment.insert("LOCKSTEP_STATE_HOME", text(m_folder.path() / "state"));
        environment.insert("LOCKSTEP_SSH_CONTROL", text(m_folder.path() / "c"));
        environment.insert("HOSTILE_HOME", text(m_folder.path() / "home"));
        environment.insert("HOSTILE_CALL", call);
        environment.insert("HOSTILE_MODE", mode);
        addSanitizerOptions(environment);
        return environment;
    }
    QStringList run(const QStringList& more) const
    {
        return QStringList{"--run", text(m_folder.path() / "s.yaml"), "-o",
                           text(m_folder.path() / "run.lockstep")} +
               more;
    }

  private:
    TempDir m_folder;
};

} // namespace

class HostileHostTest : public QObject {
    Q_OBJECT

  private slots:
    void endsAndNamesTheHost_data()
    {
        QTest::addColumn<QString>("call");
        QTest::addColumn<QString>("mode");
        QTest::addColumn<int>("interrupt_s"); // when Ctrl-C is pressed; 0: the program ends by itself
        const auto row = [](const char* call, const char* mode, int interrupt_s = 0) {
            QTest::addRow("%s %s", call, mode) << QString(call) << QString(mode) << interrupt_s;
        };
        for (const char* mode : {"silent", "drip", "json_bomb", "garbage", "one_line"})
            row("probe", mode);
        for (const char* mode : {"silent", "garbage"})
            row("clock", mode);
        for (const char* mode : {"silent", "json_bomb"})
            row("run", mode);
        row("attach", "silent", 25);
        for (const char* mode :
             {"json_bomb", "wide", "garbage", "one_line", "repeated", "events", "heartbeats", "steps",
              "numbers", "names", "endless_names", "errors", "deep", "times", "more_after_end"})
            row("attach", mode);
        row("attach", "no_exit");
        row("list", "long_list", 15); // 30,000 files that are not there are asked for one by one
        for (const char* mode : {"silent", "json_bomb", "endless_list", "lies", "garbage"})
            row("list", mode);
        for (const char* mode : {"silent", "garbage"})
            row("fetch", mode);
    }

    void endsAndNamesTheHost()
    {
        if (QStandardPaths::findExecutable("python3").isEmpty()) QSKIP("python3 is not installed");
        QFETCH(QString, call);
        QFETCH(QString, mode);
        QFETCH(int, interrupt_s);
        const HostileSite site;
        QElapsedTimer clock;
        clock.start();
        LockstepProcess process(site.environment(call, mode), site.run({"--patience", "3"}));
        qint64 peak_MB = 0;
        const auto hasEnded = [&] {
            peak_MB = std::max(peak_MB, peakMemory_MB(process.processId()));
            return !process.isRunning();
        };
        if (interrupt_s > 0) {
            QVERIFY(!QTest::qWaitFor(hasEnded, interrupt_s * 1000));
            ::kill(static_cast<pid_t>(process.processId()), SIGINT);
            QElapsedTimer sinceInterrupt;
            sinceInterrupt.start();
            QVERIFY2(QTest::qWaitFor(hasEnded, 20'000 * kSlowness), process.errors().constData());
            QVERIFY2(sinceInterrupt.elapsed() < 1'000 * kSlowness * 3, "Ctrl-C took more than a second");
        }
        QVERIFY2(QTest::qWaitFor(hasEnded, 200'000 * kSlowness), process.errors().right(2000).constData());
        const int status = process.waitForEnd();
        const QByteArray errors = process.errors();
        QByteArray sentence;
        for (const QByteArray& line : errors.split('\n')) {
            if (line.startsWith("lockstep: evil: ")) sentence = line;
        }
        std::printf("%s | %s | %.1f s | status %d | %lld MB | %s\n", qPrintable(call), qPrintable(mode),
                    double(clock.elapsed()) / 1000, status, static_cast<long long>(peak_MB),
                    sentence.constData());
        std::fflush(stdout);
        if (interrupt_s == 0 || mode == "silent") QVERIFY2(!sentence.isEmpty(), errors.constData());
        QVERIFY2(interrupt_s > 0 ? status == kInterrupted : status == 0 || status == 1 || status == 3,
                 errors.constData());
        if (kSlowness == 1) QVERIFY2(peak_MB <= kMost_MB, qPrintable(QString::number(peak_MB) + " MB"));
    }
};

LOCKSTEP_TEST(HostileHostTest, "hostile_host_test")
#include "hostile_host_test.moc"
