// SPDX-License-Identifier: Apache-2.0
// Tests what the agent measures of its node: clocks, host information, samples, a full disk, and the agent's
// own cost.
#include <QDateTime>
#include <QScopeGuard>
#include <QTest>

#include <sys/mount.h>
#include <sys/resource.h>

#include "capture/agent/host_sampler.h"
#include "core/session/host_facts.h"
#include "tests/support/agent_run.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

void writeProgram(const AgentRun& run, const std::string& name, const std::string& text)
{
    std::filesystem::create_directories(run.home() / "bin");
    std::ofstream(run.home() / "bin" / name) << "#!/bin/sh\n" << text;
    std::filesystem::permissions(run.home() / "bin" / name, std::filesystem::perms::owner_all);
}

// Returns the processor time of all ended children.
qint64 childrenCpu_ms()
{
    rusage usage{};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    const auto ms = [](const timeval& time) { return qint64(time.tv_sec) * 1000 + time.tv_usec / 1000; };
    return ms(usage.ru_utime) + ms(usage.ru_stime);
}

qint64 peakMemory_kB(int pid)
{
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6));
    }
    return -1;
}

} // namespace

class AgentHostTest : public QObject {
    Q_OBJECT

  private slots:
    void clocks();
    void hostInformation();
    void samplesArriveEverySecond();
    void gpuLines();
    void fullDiskLosesNoEvents();
    void binaryIsSmallAndFast();
};

void AgentHostTest::clocks()
{
    TempDir home;
    const AgentAnswer one = runAgent(home.path(), {"clock"});
    QCOMPARE(one.objects().size(), 1);
    const AgentAnswer more = runAgent(home.path(), {"clock", "--follow"}, "\n\n\n");
    const auto readings = more.objects();
    QCOMPARE(readings.size(), 4);
    for (int i = 0; i + 1 < 4; ++i) {
        for (const char* key : {"realtime_ns", "monotonic_ns", "monotonic_raw_ns", "boottime_ns"}) {
            QVERIFY(readings[i][key].toInteger() > 0);
            QVERIFY(readings[i + 1][key].toInteger() >= readings[i][key].toInteger());
        }
        QVERIFY(readings[i]["uncertainty_ns"].toInteger() < 1'000'000);
        QVERIFY(!readings[i]["boot_id"].toString().isEmpty());
    }
    const qint64 now_ns = QDateTime::currentMSecsSinceEpoch() * 1'000'000;
    QVERIFY(std::abs(readings[3]["realtime_ns"].toInteger() - now_ns) < 10'000'000'000);
}

void AgentHostTest::hostInformation()
{
    AgentRun run(hostPlan({}));
    writeProgram(run, "nsys",
                 "[ \"$1\" = --version ] && echo 'NVIDIA Nsight Systems version 2099.1.1.5' || echo '  "
                 "--trace= x\n  --odd-option='\n");
    writeProgram(
        run, "nvidia-smi",
        "case \"$*\" in *query*) echo 'H100, 81559, 580.1';; *) echo 'CUDA Version: 13.0 ';; esac\n");
    const AgentAnswer answer = run.agent({"probe", "--disk", "/"});
    QCOMPARE(answer.status, 0);
    const auto facts = hostFactsFromJson(answer.output.toStdString());
    QVERIFY2(facts, answer.output);
    const HostFacts& host = facts->front();
    QVERIFY(host.cpus && *host.cpus > 0 && host.memory_bytes && !host.glibc.empty());
    QCOMPARE(host.gpus->size(), size_t(1));
    QCOMPARE(host.driver, std::string("580.1"));
    QCOMPARE(host.cuda, std::string("13.0"));
    QCOMPARE(host.nsys->front().version, std::string("2099.1.1.5"));
    QVERIFY(std::ranges::find(host.nsys->front().options, "odd-option") != host.nsys->front().options.end());
    QVERIFY(host.disks.front().path == "/" && host.disks.front().free_bytes > 0);
}

void AgentHostTest::samplesArriveEverySecond()
{
    AgentRun run(hostPlan({}));
    // Like the real program in loop mode: ends when its output is no longer read.
    writeProgram(run, "nvidia-smi",
                 "echo $$ > smi.pid\ni=0\nwhile :; do i=$((i+1)); echo \"0, $i, 1024, 81559\"; "
                 "echo '1, [N/A], 2048, 81559'; sleep 0.2; done\n");
    run.start();
    const auto isThird = [](const QJsonObject& event) {
        return event["gpus"].toArray().at(0)["busy_percent"].toDouble() > 8;
    };
    const QJsonObject sample = run.waitFor(isThird);
    QCOMPARE(sample["kind"].toString(), QString("gpu"));
    QCOMPARE(sample["gpus"].toArray().at(0)["used_bytes"].toInteger(), qint64(1024) * 1024 * 1024);
    QVERIFY(!sample["gpus"].toArray().at(1).toObject().contains("busy_percent"));
    QVERIFY(sample["cpu_percent"].toDouble() >= 0 && sample["cpu_percent"].toDouble() <= 100);
    QVERIFY(sample["memory_used_bytes"].toInteger() > 0);
    QVERIFY(sample["memory_total_bytes"].toInteger() > sample["memory_used_bytes"].toInteger());
    QVERIFY(sample["disk_free_bytes"].toInteger() > 0);
    QVERIFY(sample.contains("received_bytes_per_s") && sample.contains("sent_bytes_per_s"));
    const auto samples = ofKind(run.events(), "gpu");
    for (int i = 1; i < samples.size(); ++i) {
        const qint64 separation_ns = samples[i]["t_ns"].toInteger() - samples[i - 1]["t_ns"].toInteger();
        QVERIFY2(separation_ns > 900'000'000, qPrintable(QString::number(separation_ns)));
    }
    int smi = 0;
    std::ifstream(run.home() / "smi.pid") >> smi;
    QVERIFY(isRunning(smi)); // one process for the whole run
    run.stop({"--keep"});
    QTRY_VERIFY(!isRunning(smi));
}

void AgentHostTest::gpuLines()
{
    QVERIFY(!agent::gpuSampleOf(""));
    QVERIFY(!agent::gpuSampleOf("No devices were found"));
    QVERIFY(!agent::gpuSampleOf("0, 5"));
    const auto gpu = agent::gpuSampleOf(" 3 , 97 , 10 , 20 \r");
    QVERIFY(gpu && gpu->index == 3 && gpu->busy_percent == 97.0 && gpu->used_bytes == 10u << 20 &&
            gpu->total_bytes == 20u << 20);
    const auto mig = agent::gpuSampleOf("0, [N/A], 1, 2");
    QVERIFY(mig && !mig->busy_percent);
}

// A tmpfs of 4 MiB, where mounting is allowed.
void AgentHostTest::fullDiskLosesNoEvents()
{
    AgentRun run(hostPlan({{"python3", "-uc",
                            "import os, sys, time\n"
                            "for i in range(200): print('y' * 50_000)\n"
                            "print('behind'); open('ready', 'w')\n"
                            "while not os.path.exists('freed'): time.sleep(0.1)\n"
                            "for i in range(30): print('later', i); time.sleep(0.1)\n"},
                           shell("echo second")}));
    std::filesystem::create_directory(run.folder());
    if (::mount("none", run.folder().c_str(), "tmpfs", 0, "size=4m") != 0)
        QSKIP("mounting a small disk is not allowed here");
    const auto unmount = qScopeGuard([&] { ::umount2(run.folder().c_str(), MNT_DETACH); });
    const std::string ballast = (run.folder() / "ballast").string();
    std::ofstream(ballast, std::ios::binary) << std::string(1'500'000, 'b');
    run.start();
    const QJsonObject full =
        run.waitFor([](const QJsonObject& event) { return event["failure"] == "disk_full"; });
    QVERIFY2(full["text"].toString().contains("the disk is full"), "the full disk is told while it is full");
    QTRY_VERIFY(std::filesystem::exists(run.home() / "ready")); // the program was not delayed
    std::filesystem::remove(ballast);
    std::ofstream(run.home() / "freed") << "";
    const AgentAnswer answer = run.attach();
    QCOMPARE(answer.status, 0);
    const auto events = answer.objects();
    QVERIFY(isGapless(events));
    const auto dropped = ofKind(events, "exit").first()["dropped_bytes"].toInteger();
    const auto kept = qint64(std::filesystem::file_size(run.folder() / "command-0/stdout.log"));
    QVERIFY(dropped > 1'000'000);
    const qint64 printed = 200 * 50'001 + 7 + 10 * 8 + 20 * 9;
    QCOMPARE(dropped + kept, printed);
    QVERIFY(textOf(events, "stdout", 0).contains("later 29\n"));
    QCOMPARE(textOf(events, "stdout", 1), QString("second\n"));
    QCOMPARE(ofKind(events, "error").size(), 1);
    run.stop();
}

void AgentHostTest::binaryIsSmallAndFast()
{
    const QString program = builtProgram("lockstep-agent");
    QProcess ldd;
    ldd.start("ldd", {program});
    QVERIFY(ldd.waitForFinished(kPatience_ms));
    const QByteArray linked = ldd.readAllStandardOutput() + ldd.readAllStandardError();
    QByteArray sanitizer = linked; // a sanitizer's library cannot be static
    if (!sanitizer.contains("libasan") && !sanitizer.contains("libtsan")) {
        QVERIFY2(linked.contains("not a dynamic executable"), linked);
    }
    TempDir home;
    qint64 best_ms = 1000;
    for (int i = 0; i < 5; ++i) {
        const qint64 before_ms = childrenCpu_ms();
        QCOMPARE(runAgent(home.path(), {"clock"}).status, 0);
        best_ms = std::min(best_ms, childrenCpu_ms() - before_ms);
    }
    AgentRun run(hostPlan({shell("seq 1 300000"), shell("echo over; sleep 1000")}));
    run.start();
    QVERIFY(!run.waitFor([](const QJsonObject& event) { return event["text"].toString().contains("over"); })
                 .isEmpty());
    const qint64 peak_kB = peakMemory_kB(run.supervisor());
    qInfo("agent: starts and ends in %lld ms of processor time, supervisor's peak memory %lld kB",
          static_cast<long long>(best_ms), static_cast<long long>(peak_kB));
    if (linked.contains("not a dynamic executable")) QVERIFY(best_ms < 50 && peak_kB > 0 && peak_kB < 30'000);
}

LOCKSTEP_TEST(AgentHostTest, "agent_host_test")
#include "agent_host_test.moc"
