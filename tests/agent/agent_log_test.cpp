// SPDX-License-Identifier: Apache-2.0
// Tests how a program's output becomes events: segments, recognized signs, and the text of ends.
#include <QElapsedTimer>
#include <QTest>

#include <csignal>

#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "capture/agent/command_exit.h"
#include "capture/agent/event_log.h"
#include "capture/agent/log_findings.h"
#include "capture/agent/log_tail.h"
#include "core/session/recipes/recipe_library.h"
#include "tests/support/agent_run.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;
using agent::LogTail;

class AgentLogTest : public QObject {
    Q_OBJECT

  private slots:
    void unfinishedLinesAreHeldBack();
    void carriageReturnsEndLines();
    void overlongLinesAreTruncated();
    void hugeLineIsWholeOnDisk();
    void aMillionLines();
    void invalidTextIsReplaced();
    void failuresOfThePlanComeFirst();
    void recognizesSigns_data();
    void recognizesSigns();
    void readersSeeOnlyCompleteLines();
    void fullLogKeepsEvents();
    void outOfMemoryKillsAreReported();
};

void AgentLogTest::unfinishedLinesAreHeldBack()
{
    TempDir folder;
    const auto file = folder.path() / "log";
    LogTail tail(file, 0, false);
    QVERIFY(!tail.next(true)); // does not exist yet
    std::ofstream out(file, std::ios::binary);
    out << "one\ntw" << std::flush;
    auto piece = tail.next(false);
    QVERIFY(piece && piece->text == "one\n" && piece->to == 4 && piece->cut_bytes == 0 && !piece->isOpen);
    QVERIFY(!tail.next(false));
    out << "o\nthree" << std::flush;
    piece = tail.next(false);
    QVERIFY(piece && piece->text == "two\n" && piece->to == 8);
    QVERIFY(piece->lineEnds == (std::vector<std::pair<size_t, uint64_t>>{{4, 8}}));
    LogTail successor(file, piece->to, piece->isOpen);
    piece = successor.next(true);
    QVERIFY(piece && piece->text == "three" && piece->to == 13 && piece->lineEnds.empty());
    QVERIFY(!successor.next(true));
}

void AgentLogTest::carriageReturnsEndLines()
{
    TempDir folder;
    LogTail tail(folder.write("log", "10%\r20%\r\n30%"), 0, false);
    const auto piece = tail.next(false);
    QVERIFY(piece && piece->text == "10%\r20%\r\n" && piece->to == 9 && piece->lineEnds.size() == 2);
}

void AgentLogTest::overlongLinesAreTruncated()
{
    TempDir folder;
    const std::string head(LogTail::kLine_bytes, 'a');
    const auto file = folder.write("log", "x\n" + head + std::string(200'000, 'b'));
    LogTail tail(file, 0, false);
    auto piece = tail.next(false); // the line is incomplete, but its beginning can be sent
    QVERIFY(piece && piece->text == "x\n" + head && piece->isOpen);
    uint64_t cut = piece->cut_bytes;
    std::ofstream(file, std::ios::app) << "c\nnext\n";
    LogTail successor(file, piece->to, piece->isOpen); // a new supervisor in the middle of the line
    piece = successor.next(false);
    QVERIFY(piece && piece->text == "\nnext\n" && !piece->isOpen);
    cut += piece->cut_bytes;
    QCOMPARE(cut, uint64_t(200'001));
    QCOMPARE(piece->to, std::filesystem::file_size(file));
}

void AgentLogTest::hugeLineIsWholeOnDisk()
{
    AgentRun run(
        hostPlan({{"python3", "-c", "print('begin' + 'x' * 10_000_000 + 'end'); print('step:8 - after')"}}));
    run.start();
    QCOMPARE(run.attach().status, 0);
    const auto events = run.events();
    const QString text = textOf(events, "stdout");
    QVERIFY(text.size() < 20'000 && text.startsWith("beginxxx") && text.endsWith("x\nstep:8 - after\n"));
    qint64 cut = 0;
    for (const QJsonObject& event : ofKind(events, "stdout"))
        cut += event["cut_bytes"].toInteger();
    QCOMPARE(cut, qint64(10'000'008) - qint64(LogTail::kLine_bytes));
    QCOMPARE(std::filesystem::file_size(run.folder() / "command-0/stdout.log"), uintmax_t(10'000'009 + 15));
    QCOMPARE(ofKind(events, "step").first()["step"].toInt(), 8);
}

void AgentLogTest::aMillionLines()
{
    AgentRun run(hostPlan({{"python3", "-c",
                            "import sys\n"
                            "for i in range(1_000_000): sys.stdout.write('(WorkerDict pid=4711) line %d of "
                            "what a worker prints\\n' % i)\n"}}));
    QElapsedTimer timer;
    timer.start();
    run.start();
    const AgentAnswer answer = run.attach();
    const qint64 wall_ms = timer.elapsed();
    QCOMPARE(answer.status, 0);
    const auto events = answer.objects();
    const auto pieces = ofKind(events, "stdout");
    QVERIFY(pieces.size() < 2000);
    QVERIFY(isGapless(events));
    // Only the beginning of so much output is copied into the events; the number of omitted bytes is
    // recorded.
    constexpr qint64 kCopied_bytes = 16 << 20, kChunk_bytes = LogTail::kChunk_bytes;
    const qint64 copied_bytes = textOf(pieces, "stdout").size();
    QVERIFY2(copied_bytes > kCopied_bytes - kChunk_bytes, qPrintable(QString::number(copied_bytes)));
    qint64 cut_bytes = 0;
    for (const QJsonObject& piece : pieces)
        cut_bytes += piece["cut_bytes"].toInteger();
    QCOMPARE(copied_bytes + cut_bytes, pieces.last()["to"].toInteger());
    QCOMPARE(pieces.last()["to"].toInteger(),
             qint64(std::filesystem::file_size(run.folder() / "command-0/stdout.log")));
    qInfo("1,000,000 lines: %lld ms wall, %.0f lines/s, %lld events", static_cast<long long>(wall_ms),
          1e9 / double(wall_ms), static_cast<long long>(events.size()));
}

void AgentLogTest::invalidTextIsReplaced()
{
    AgentRun run(hostPlan({shell("printf 'a\\377\\000b\\n'; printf 'q\"\\\\\\033[1m\\n'")}));
    run.start();
    run.attach();
    QCOMPARE(textOf(run.events(), "stdout"),
             QString::fromUtf8("a\xEF\xBF\xBD") + QChar(0) + "b\nq\"\\\x1B[1m\n");
}

void AgentLogTest::recognizesSigns_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QString>("finding");
    const auto row = [](const char* line, const char* finding) {
        QTest::newRow(line) << QByteArray(line) << finding;
    };
    row("(TaskRunner pid=1) step:12 - actor/entropy:0.3", "step 12 end"); // verl
    row("\x1B[36m(TaskRunner pid=1)\x1B[0m step:0 - val-core/gsm8k/acc:0.1", "step 0 end");
    row("step:3 - actor/lr:1e-6 - training/global_step:3", "step 3 end");
    row("step:3", "step 3"); // whichever program prints that
    row("step:3 of 9 - x", "step 3");
    row("training/global_step:7", "step 7");
    row("  'global_steps': 3", "");
    row("global_step = 4", "step 4");
    row("======== Step 3/10 ========", "step 3 begin"); // NeMo RL
    row("= Step 3/10 =", "step 3");
    row("Step 3/10: loss 0.5", "step 3");
    row("======== Step 3/x ========", "step 3");
    row("======== Step 3/10", "step 3");
    row("Step by step", "");
    row("timestep: 9", "");
    row("micro_step:9", "");
    row("TaskRunner hostname: node-3.cluster, PID: 4711", "controller node-3.cluster 4711");
    row("Nsight profiling enabled for worker 'vllm_policy-0' (matched pattern '*')", "worker vllm_policy-0");
    row("\x1B[32mCapture range started in the application.\x1B[0m", "capturing");
    row("Capture range ended in the application.", "flushing");
    row("Processing events...", "flushing");
    row("\t/out/a b/worker_process_12.2.nsys-rep", "report /out/a b/worker_process_12.2.nsys-rep");
    row("bash: line 1: nsys: command not found", "nsys_missing");
    row("FileNotFoundError: [Errno 2] No such file or directory: 'nsys'", "nsys_missing");
    row("CUPTI initialization failed: CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED", "cupti_taken");
    row("error: ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance "
        "Counters",
        "cupti_permission");
    row("Could not override 'global_profiler.tol'.", "wrong_override");
    row("Key 'profile_step' is not in struct", "wrong_override");
    row("ray.exceptions.RuntimeEnvSetupError: Failed to set up runtime environment.", "runtime_env");
    row("ray.exceptions.ActorDiedError: The actor died unexpectedly", "actor_died");
    row("ray.exceptions.NodeDiedError: Task failed due to the node dying", "node_lost");
    row("ray.exceptions.RayTaskError(ValueError): ray::f()", "ray_task");
    row("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB", "cuda_oom");
    row("OSError: [Errno 28] No space left on device", "disk_full");
    row("ModuleNotFoundError: No module named 'nvtx'", "nvtx_missing");
    row("No CUDA activity captured", "nothing_captured");
    row("unrecognised option '--cuda-graph-tracee=node'", "wrong_option");
    row("E1127 18:14:55.101000 4700 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1) "
        "local_rank: 2 (pid: 4711) of binary: /usr/bin/python3",
        "rank_failed");
    row("failed (exitcode: -9) local_rank: 0 (pid: 4711) of binary: /usr/bin/python3", "rank_failed");
    row("failed (exitcode: 1) for another reason", "");
    row("[rank2]: Traceback (most recent call last):", "rank_failed");
    row("[rank2]: an ordinary line", "");
    row("an ordinary line", "");
    row("", "");
}

void AgentLogTest::failuresOfThePlanComeFirst()
{
    const agent::KnownLines known{
        {{*Pattern::compile("Could not override '(.+)'"), "verl.hydra", "This verl has no such key"}}, {}};
    const auto found = agent::findingOfLine("\x1B[31mCould not override 'a.b'.\x1B[0m\n", known);
    QVERIFY(found && found->kind == agent::LogFindingKind::failure);
    QCOMPARE(found->failure, std::string("verl.hydra"));
    QCOMPARE(found->text, std::string("This verl has no such key"));
    QCOMPARE(agent::findingOfLine("Could not override 'a.b'.", {})->failure, std::string("wrong_override"));
    QVERIFY(!agent::findingOfLine("an ordinary line", known));
}

void AgentLogTest::recognizesSigns()
{
    QFETCH(QByteArray, line);
    QFETCH(QString, finding);
    agent::KnownLines known;
    for (const LaunchRecipe& recipe : launchRecipes())
        known.signs.insert(known.signs.end(), recipe.logSigns.begin(), recipe.logSigns.end());
    const auto found = agent::findingOfLine(line.toStdString() + "\r\n", known);
    QString text;
    if (found) {
        const QString value = QString::fromStdString(found->value);
        switch (found->kind) {
        case agent::LogFindingKind::step:
            text = "step " + QString::number(*found->step);
            if (!found->mark.empty()) text += " " + QString::fromStdString(found->mark);
            break;
        case agent::LogFindingKind::captureStarted:
            text = "capturing";
            break;
        case agent::LogFindingKind::captureEnded:
        case agent::LogFindingKind::flushing:
            text = "flushing";
            break;
        case agent::LogFindingKind::reportWritten:
            text = "report " + value;
            break;
        case agent::LogFindingKind::controller:
            text = "controller " + value;
            break;
        case agent::LogFindingKind::workerProfiled:
            text = "worker " + value;
            break;
        case agent::LogFindingKind::failure:
            text = QString::fromStdString(found->failure);
            break;
        }
        QCOMPARE(found->kind == agent::LogFindingKind::failure, !found->text.empty());
    }
    QCOMPARE(text, finding);
}

void AgentLogTest::readersSeeOnlyCompleteLines()
{
    TempDir folder;
    const auto file = folder.path() / "events.jsonl";
    agent::EventReader reader(file);
    QVERIFY(reader.next().empty());
    std::ofstream(file) << "{\"seq\":1}\n{\"seq\":2";
    QCOMPARE(agent::seqOfLine(reader.next()), uint64_t(1));
    QVERIFY(reader.next().empty());
    auto log =
        agent::EventLog::open(file); // truncates the incomplete line, which the reader had begun to read
    QVERIFY(log);
    QCOMPARE(log->lastSeq(), uint64_t(1));
    log->add("heartbeat", {});
    log->add("exit", {{"command", 0}, {"text", "x,\"run\":true"}});
    log->add("exit", {{"run", true}, {"code", 3}});
    QCOMPARE(agent::seqOfLine(reader.next()), uint64_t(2));
    QVERIFY(!agent::isRunEnd(reader.next()));
    QVERIFY(agent::isRunEnd(reader.next()));
    QVERIFY(reader.next().empty());
}

void AgentLogTest::fullLogKeepsEvents()
{
    TempDir folder;
    auto log = agent::EventLog::open(folder.path() / "events.jsonl");
    QVERIFY(log);
    rlimit before = {};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const auto ignored = ::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{100, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    for (int i = 0; i < 3; ++i)
        log->add("heartbeat", {{"number", i}});
    const bool wasBlocked = log->isBlocked();
    ::setrlimit(RLIMIT_FSIZE, &before);
    ::signal(SIGXFSZ, ignored);
    QVERIFY(wasBlocked);
    QVERIFY(log->flush() && !log->isBlocked());
    agent::EventReader reader(folder.path() / "events.jsonl");
    for (uint64_t seq = 1; seq <= 3; ++seq)
        QCOMPARE(agent::seqOfLine(reader.next()), seq);
}

void AgentLogTest::outOfMemoryKillsAreReported()
{
    TempDir folder;
    folder.write("proc/self/cgroup", "1:name=x:/\n0::/job/step\n");
    folder.write("proc/vmstat", "nr_free_pages 1\noom_kill 7\n");
    const auto proc = folder.path() / "proc", groups = folder.path() / "groups";
    QCOMPARE(agent::oomKillCount(proc, groups),
             int64_t(7)); // this group does not exist here: the host's count
    folder.write("groups/job/step/memory.events", "low 0\noom 3\noom_kill 2\n");
    QCOMPARE(agent::oomKillCount(proc, groups), int64_t(2));
    agent::CommandExit exit;
    exit.signal = SIGKILL;
    exit.oomKills = 1;
    QCOMPARE(agent::exitText(exit),
             std::string("killed by SIGKILL (signal 9): the kernel killed it because memory ran out"));
    QCOMPARE(exit.shellStatus(), 137);
    exit = {};
    exit.code = 0;
    QVERIFY(agent::exitText(exit).empty());
    exit.code = 137;
    exit.oomKills = 2;
    QVERIFY(QString::fromStdString(agent::exitText(exit)).endsWith("memory ran out"));
}

LOCKSTEP_TEST(AgentLogTest, "agent_log_test")
#include "agent_log_test.moc"
