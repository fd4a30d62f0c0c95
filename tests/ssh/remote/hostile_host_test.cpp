// SPDX-License-Identifier: Apache-2.0
// Tests runs over a host that sends false data (tests/support/hostile_ssh.py). Each run ends by itself or
// immediately with Ctrl-C, uses little memory, and names the host on standard error. `ctest -V` prints a line
// of figures for each.
#include <csignal>
#include <cstdio>
#include <memory>
#include <vector>

#include <QElapsedTimer>
#include <QStandardPaths>
#include <QTest>

#include "tests/support/lockstep_process.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep::test;

namespace fs = std::filesystem;

namespace {

constexpr qint64 kMax_MB = 200;
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

// A session over one hostile host, in its own folder.
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

// CPU time of a process so far, all threads; 0 after it has ended.
double cpuTime_s(qint64 pid)
{
    QFile file(QString("/proc/%1/stat").arg(pid));
    if (!file.open(QIODevice::ReadOnly)) return 0;
    const QByteArray text = file.readAll();
    const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
    if (fields.size() < 13) return 0;
    return double(fields[11].toLongLong() + fields[12].toLongLong()) / double(::sysconf(_SC_CLK_TCK));
}

// One run over a host with one kind of hostile behavior, measured from outside.
class HostileRun {
  public:
    HostileRun(QString call, QString mode, int interrupt_s, int patience_s)
        : m_call(std::move(call)), m_mode(std::move(mode)), m_interrupt_s(interrupt_s),
          m_process(m_site.environment(m_call, m_mode),
                    m_site.run({"--patience", QString::number(patience_s)}))
    {
        m_clock.start();
    }

    // Polls the program once, and presses Ctrl-C at the configured time. Returns true when the program has
    // ended.
    bool look()
    {
        if (m_ended_ms >= 0) return true;
        m_peak_MB = std::max(m_peak_MB, peakMemory_MB(m_process.processId()));
        if (!m_process.isRunning()) {
            m_ended_ms = m_clock.elapsed();
            return true;
        }
        if (m_interrupt_s > 0 && m_interrupted_ms < 0 && mayInterrupt()) {
            m_cpuBefore_s = cpuTime_s(m_process.processId());
            ::kill(static_cast<pid_t>(m_process.processId()), SIGINT);
            m_interrupted_ms = m_clock.elapsed();
        }
        if (m_interrupted_ms >= 0)
            m_cpuAfter_s = std::max(m_cpuAfter_s, cpuTime_s(m_process.processId()) - m_cpuBefore_s);
        return false;
    }

    // Prints the line of figures. Returns the error text, or an empty text on success.
    QString verdict()
    {
        const int status = m_ended_ms >= 0 ? m_process.waitForEnd() : -1;
        const QByteArray errors = m_process.errors();
        QByteArray sentence;
        for (const QByteArray& line : errors.split('\n')) {
            if (line.startsWith("lockstep: evil: ")) sentence = line;
        }
        const double interrupted_s = m_interrupted_ms >= 0 ? double(m_ended_ms - m_interrupted_ms) / 1000 : 0;
        std::printf("%s | %s | %.1f s | Ctrl-C %.2f s, CPU %.2f s | status %d | %lld MB | %s\n",
                    qPrintable(m_call), qPrintable(m_mode), double(m_ended_ms) / 1000, interrupted_s,
                    m_cpuAfter_s, status, static_cast<long long>(m_peak_MB), sentence.constData());
        std::fflush(stdout);
        const QString name = m_call + " " + m_mode + ": ";
        if (m_ended_ms < 0) return name + "did not end: " + errors.right(500);
        const bool isRight =
            m_interrupt_s > 0 ? status == kInterrupted : status == 0 || status == 1 || status == 3;
        if (!isRight) return name + "exit status " + QString::number(status) + ": " + errors.right(500);
        if ((m_interrupt_s == 0 || m_mode == "silent") && sentence.isEmpty())
            return name + "no sentence about the host: " + errors.right(500);
        if (kSlowness == 1 && m_peak_MB > kMax_MB) return name + QString::number(m_peak_MB) + " MB";
        // CPU time, because other tests run in parallel. On an idle machine it takes less than one second.
        if (m_cpuAfter_s > 3.0 * kSlowness) return name + "Ctrl-C took more than 3 s of CPU time";
        return {};
    }

  private:
    // On a busy machine, it takes longer until the program reports a silent host.
    bool mayInterrupt()
    {
        return m_clock.elapsed() >= m_interrupt_s * 1000 &&
               (m_mode != "silent" || m_process.errors().contains("lockstep: evil: "));
    }

    const QString m_call, m_mode;
    const int m_interrupt_s;
    const HostileSite m_site;
    LockstepProcess m_process;
    QElapsedTimer m_clock;
    qint64 m_peak_MB = 0, m_ended_ms = -1, m_interrupted_ms = -1;
    double m_cpuBefore_s = 0, m_cpuAfter_s = 0; // CPU time of the program before and after Ctrl-C
};

struct HostileMode {
    const char* call;
    const char* mode;
    int interrupt_s = 0; // when Ctrl-C is pressed; 0: the program ends by itself
};

// Runs all modes, at most `atOnce` at a time, and returns the errors. patience_s is the time limit for each
// call: enough for a busy host that responds, but not too long to wait for one that never does.
QStringList runAll(const std::vector<HostileMode>& modes, size_t atOnce, int patience_s)
{
    QStringList problems;
    std::vector<std::unique_ptr<HostileRun>> running;
    size_t next = 0;
    const auto isDone = [&] {
        while (running.size() < atOnce && next < modes.size()) {
            const HostileMode& mode = modes[next++];
            running.push_back(
                std::make_unique<HostileRun>(mode.call, mode.mode, mode.interrupt_s, patience_s));
        }
        std::erase_if(running, [&](const auto& run) {
            if (!run->look()) return false;
            if (const QString problem = run->verdict(); !problem.isEmpty()) problems.push_back(problem);
            return true;
        });
        return running.empty() && next == modes.size();
    };
    // The time limit applies to each program, because a busy machine needs longer for all of them.
    bool isOver = false;
    while (!isOver) {
        const size_t before = next - running.size();
        const auto hasProgressed = [&] { return (isOver = isDone()) || next - running.size() > before; };
        if (!waitUntil(hasProgressed)) break;
    }
    for (const auto& run : running)
        problems.push_back(run->verdict());
    return problems;
}

} // namespace

class HostileHostTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase()
    {
        if (QStandardPaths::findExecutable("python3").isEmpty()) QSKIP("python3 is not installed");
    }

    // Hosts for which Lockstep must wait: their programs are idle, so all of them run at the same time.
    void silentHosts()
    {
        const QStringList problems = runAll({{"probe", "silent"},
                                             {"probe", "drip"},
                                             {"probe", "json_bomb"},
                                             {"clock", "silent"},
                                             {"run", "silent"},
                                             {"run", "json_bomb"},
                                             {"attach", "silent", 25},
                                             {"attach", "no_exit"},
                                             {"list", "silent"},
                                             {"list", "json_bomb"},
                                             {"fetch", "silent"}},
                                            6, 10);
        QVERIFY2(problems.empty(), qPrintable(problems.join('\n')));
    }

    // Hosts that send too much data, or data that makes no sense.
    void floodingHosts()
    {
        std::vector<HostileMode> modes{{"probe", "garbage"},      {"probe", "one_line"}, {"clock", "garbage"},
                                       {"list", "endless_list"},  {"list", "lies"},      {"list", "garbage"},
                                       {"list", "long_list", 20}, {"fetch", "garbage"}};
        for (const char* mode :
             {"json_bomb", "wide", "garbage", "one_line", "repeated", "events", "heartbeats", "steps",
              "numbers", "names", "endless_names", "errors", "deep", "times", "more_after_end"})
            modes.push_back({"attach", mode});
        const QStringList problems = runAll(modes, 2, 60);
        QVERIFY2(problems.empty(), qPrintable(problems.join('\n')));
    }
};

LOCKSTEP_TEST(HostileHostTest, "hostile_host_test")
#include "hostile_host_test.moc"
