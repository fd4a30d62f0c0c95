// SPDX-License-Identifier: Apache-2.0
// Tests which files count as reports, and when a report is complete.
#include <set>

#include <QTest>

#include <fcntl.h>
#include <sys/stat.h>

#include "capture/agent/report_examination.h"
#include "capture/agent/report_scan.h"
#include "capture/agent/sample_files.h"
#include "core/readers/identity/file_identity.h"
#include "core/readers/reader.h"
#include "core/readers/samples/sample_formats.h"
#include "core/remote/ledger.h"
#include "tests/support/agent_run.h"
#include "tests/support/gzip_text.h"
#include "tests/support/nsys_sql.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;
namespace fs = std::filesystem;

namespace {

const std::string kTrace = "{\"schemaVersion\": 1, \"traceEvents\": [{\"ph\": \"X\", \"name\": "
                           "\"a]}\\\"{\"}], \"traceName\": \"/x\"}";
const std::string kSnapshot =
    std::string("\x80\x04\x95\x10\0\0\0\0\0\0\0}\x94(\x8c\x08segments\x94]\x94u.", 29);
const std::string kReport = "NVIDIA Tegra Profiler Report 1\n" + std::string(5000, 'x') + "U3w[END]";

std::string fileBytes(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string madeExport()
{
    TempDir folder;
    runSql(folder.path() / "x.sqlite", kSessionSql + kGpuSql);
    return fileBytes(folder.path() / "x.sqlite");
}

// The beginning of a file of torch.save with another content.
std::string entryOfModel()
{
    return std::string("PK\x03\x04", 4) + std::string(22, '\0') + "\x10" + std::string(3, '\0') +
           "archive/data.pkl" + "\x80\x02}(X\x05model" + std::string(400, 'x');
}

agent::FoundReport examined(const fs::path& path)
{
    return agent::examineReport(path, agent::Examination::whole);
}

} // namespace

class AgentReportsTest : public QObject {
    Q_OBJECT

  private slots:
    void contentDecidesTheKind_data();
    void contentDecidesTheKind();
    void otherDatabasesAreNotReports();
    void emptyFilesAreLostReports();
    void everyFormatIsKnownByItsExtensions();
    void completeness();
    void samplesAreReports_data();
    void samplesAreReports();
    void agentKnowsTheSamplesOfAllReaders();
    void growingSamplesAreReportedNowAndThen();
    void rootsAndNames();
    void reportsBecomeEvents();
    void converterAfterTheProgramIsWaitedFor();
};

void AgentReportsTest::contentDecidesTheKind_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("kind");
    const auto row = [](const char* name, const std::string& bytes, const char* kind) {
        QTest::newRow(name) << QByteArray::fromStdString(bytes) << kind;
    };
    row("trace", kTrace, "trace json");
    row("trace, trailing blanks", kTrace + "\n\n", "trace json");
    row("list of events", R"([{"ph": "X", "ts": 1}])", "trace json");
    row("gzip", gzipped(kTrace), "trace json");
    row("gzip, large",
        gzipped(R"({"schemaVersion": 1, "traceEvents": [)" + std::string(3'000'000, ' ') + "]}"),
        "trace json");
    row("gzip members", gzipped(kTrace.substr(0, 50)) + gzipped(kTrace.substr(50)), "trace json");
    row("snapshot", kSnapshot, "memory snapshot");
    row("nsys report", kReport, "nsys report");
    row("nsys export", madeExport(), "nsys sqlite");
}

// Complete as written; incomplete when truncated anywhere.
void AgentReportsTest::contentDecidesTheKind()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, kind);
    TempDir folder;
    const std::string whole = bytes.toStdString();
    const auto found = examined(folder.write("no name tells", whole));
    QCOMPARE(QString::fromStdString(found.kind), kind);
    QVERIFY2(found.isComplete, found.reason.c_str());
    QVERIFY(found.reason.empty());
    for (const size_t cut : {size_t(1), size_t(2), whole.size() / 10, whole.size() / 2}) {
        std::string rest = whole.substr(0, whole.size() - cut);
        if (rest.find_last_not_of("\n") < whole.find_last_not_of("\n")) {
            const auto part = examined(folder.write("part", rest));
            QVERIFY2(!part.isComplete, qPrintable(QString::number(cut)));
            QVERIFY(part.kind.empty() || !part.reason.empty());
        }
    }
}

void AgentReportsTest::otherDatabasesAreNotReports()
{
    TempDir folder;
    const fs::path mine = folder.path() / "a b?c%#\n.db";
    QVERIFY(runSql(mine, "CREATE TABLE runs(id INT); INSERT INTO runs VALUES(1);"));
    QVERIFY(examined(mine).kind.empty());
    QVERIFY(runSql(mine, kSessionSql));
    auto found = examined(mine);
    QCOMPARE(found.kind, std::string("nsys sqlite"));
    QVERIFY(found.isComplete);
    QCOMPARE(found.reason, std::string("contains no GPU work and no ranges"));
    QVERIFY(runSql(mine, kGpuSql));
    QVERIFY(examined(mine).reason.empty());
    folder.write(mine.filename().string() + "-wal", "x");
    QCOMPARE(examined(mine).reason, std::string("still being written"));
    const fs::path ascend = folder.path() / "ascend_pytorch_profiler_3.db";
    QVERIFY(runSql(ascend, "CREATE TABLE STRING_IDS(id INT, value TEXT); CREATE TABLE TASK(startNs INT); "
                           "INSERT INTO TASK VALUES(1);"));
    QCOMPARE(examined(ascend).kind, std::string("ascend sqlite"));
    QVERIFY(examined(ascend).isComplete);
    QVERIFY(runSql(ascend, "DROP TABLE STRING_IDS;"));
    QVERIFY(examined(ascend).kind.empty());
    const auto stream = examined(folder.write("x.qdstrm", "anything"));
    QVERIFY(stream.kind == "nsys stream" && !stream.isComplete);
    QVERIFY(examined(folder.write("x.json", R"({"settings": 1})")).kind.empty());
    QVERIFY(examined(folder.write("x.pkl", "\x80\x04K\x01.")).kind.empty());
}

// Files that a full disk leaves in place of reports.
void AgentReportsTest::emptyFilesAreLostReports()
{
    TempDir folder;
    const auto row = [&folder](const char* name, const char* bytes, const std::string& kind) {
        const auto found = examined(folder.write(name, bytes));
        QCOMPARE(found.kind, kind);
        QVERIFY(!found.isComplete);
        QVERIFY(kind.empty() || found.reason.find("the disk may have been full") != std::string::npos);
    };
    row("a.nsys-rep", "", "nsys report");
    row("b.nsys-rep", "NVIDIA Te", "nsys report");
    row("c.pt.trace.json", "", "trace json");
    row("d.pt.trace.json.gz", "\x1f\x8b", "trace json");
    row("e.json", "", "trace json");
    row("f.pickle", "", "memory snapshot");
    row("g.sqlite", "", "nsys sqlite");
    row("h.log", "", "");
    row("i.json", "{\"a\": 1", "");
    row("done", "", "");
}

// From a file name on a node to the run's collection status and the file's owner: each step uses the format's
// own entry.
void AgentReportsTest::everyFormatIsKnownByItsExtensions()
{
    TempDir folder;
    std::set<std::string_view> ours;
    for (const Reader& reader : readers()) {
        const ReportFormat& format = reader.format;
        for (const std::string_view ending : format.suffixes) {
            const std::string name = "ascend_b" + std::string(ending);
            QCOMPARE(QString::fromStdString(std::string(fileStem(name))), QString("ascend_b"));
            QCOMPARE(identityFromPath(name).tool.value.has_value(), format.impliesTool);
            const agent::FoundReport found = examined(folder.write(name, ""));
            if (format.agentName.empty()) {
                QVERIFY(found.kind.empty());
                ours.insert(format.name);
                continue;
            }
            QVERIFY2(formatOfAgentName(found.kind) == &format, qPrintable(QString::fromStdString(name)));
            Ledger ledger(std::vector<ExpectedFile>{});
            ledger.noteFound("node0", name, found.kind, 0, false, found.reason);
            QVERIFY(enumNames(ReportKind{})[size_t(ledger.entries()[0].kind)] == format.reportKindName);
        }
    }
    // Files that Lockstep writes itself are skipped. So are torch_npu's memory tables, because no plan
    // forecasts them.
    QVERIFY(ours == (std::set<std::string_view>{"run events", "lockstep workspace", "ascend memory"}));
    const std::string packets = "\x0A\x02" + std::string(200, 'x');
    QVERIFY(examined(folder.write("full.pftrace", packets)).isComplete);
    QVERIFY(examined(folder.write("full.bin", packets)).kind.empty());
    QVERIFY(
        examined(folder.write("mlflow.db", "")).kind.empty()); // an empty database may belong to any program
}

void AgentReportsTest::completeness()
{
    const auto closed = [](std::vector<std::string> pieces) {
        agent::JsonClosure closure;
        for (const std::string& piece : pieces)
            closure.add(piece);
        return closure.isClosed();
    };
    QVERIFY(closed({R"({"a": "\)", R"("}", "b": [1]})", " \n"}));
    QVERIFY(!closed({}));
    QVERIFY(!closed({"{"}));
    QVERIFY(!closed({"{}", "{"}));
    QVERIFY(!closed({R"({"a": "}"})", "x"}));
    QVERIFY(!closed({R"({"a": "})"}));
    QVERIFY(closed({"{}\n{\"a\": {}}\n", "{}"}));
    QVERIFY(!closed({"{}\n{\"a\": {}}\n", "{\"b\": {}"}));
    QVERIFY(!closed({"{}\n,{}"}));
    // PyTorch wrote a name with an unescaped quote; the last key is still at the end.
    const std::string odd =
        R"({"traceEvents": [{"name": "a "b"}, {"name": "c"}], "traceName": "/tmp/x.json")";
    QVERIFY(closed({odd, "\n}\n"}));
    QVERIFY(!closed({odd}));
}

void AgentReportsTest::samplesAreReports_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("kind");
    const auto row = [](const char* name, std::string bytes, const char* kind = "sample records") {
        QTest::newRow(name) << QString(name) << QByteArray::fromStdString(bytes) << kind;
    };
    row("gsm8k.jsonl", "{\"step\":1,\"data\":{\"timing_s/step\":9.5}}\n");
    row("traces.1.jsonl", "{\"resourceSpans\":[{\"scopeSpans\":[]}]}\n");
    row("rl_trainer.global_rank_0.20260821-213021-A1B2C3.jsonl",
        R"({"rank": 0, "log_type": "event", "log_type_name": "step_start", "value": 1.0, "seq_id": 0})"
        "\n");
    row("20260821_21.jsonl", "{\"name\":\"train\",\"t0\":1.5,\"t1\":-1.0,\"node\":\"10.0.0.1\",\"gpus\":[0],"
                             "\"rank\":0,\"role\":\"train\"}\n");
    row("sglang-request-metrics-20260821_21.log",
        "{\"request_parameters\":\"" + std::string(9000, 'x') + "\",\"id\":\"a\",\"finish_reason\":null}\n");
    // AReaL and RLinf write events of traces, one per line.
    row("traces-r0.jsonl",
        R"({"name":"train.rollout","ph":"X","ts":5,"pid":1,"tid":2,"dur":3})"
        "\n"
        R"({"name":"train.ppo_update","ph":"X","ts":9,"pid":1,"tid":2,"dur":3})"
        "\n",
        "trace json");
    const std::string entry =
        std::string("PK\x03\x04", 4) + std::string(22, '\0') + "\x0b" + std::string(3, '\0') + "12/data.pkl";
    row("12.pt",
        entry + "\x80\x02}(X\nrollout_idK\x0cX\x07samples" + std::string(400, 'x') +
            std::string("PK\x05\x06", 4) + std::string(18, '\0'),
        "rollout dump");
}

// Complete as written, incomplete when cut short, and of no kind with other keys.
void AgentReportsTest::samplesAreReports()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, bytes);
    QFETCH(QString, kind);
    TempDir folder;
    const std::string file = name.toStdString();
    const auto found = examined(folder.write(file, bytes.toStdString()));
    QCOMPARE(QString::fromStdString(found.kind), kind);
    QVERIFY2(found.isComplete, found.reason.c_str());
    // The place of verl's metrics may be the file itself.
    QCOMPARE(agent::ReportScanner({(folder.path() / file).string()}).scanAtOnce().size(), size_t(1));
    const auto cut = examined(folder.write("cut", bytes.toStdString().substr(0, size_t(bytes.size()) - 2)));
    QCOMPARE(QString::fromStdString(cut.kind), kind);
    QVERIFY(!cut.isComplete && !cut.reason.empty());
    QVERIFY(examined(folder.write("data.jsonl", "{\"prompt\": \"a\", \"extra\": {\"resourceSpans\": 1}}\n"))
                .kind.empty());
    QVERIFY(examined(folder.write("model.pt", entryOfModel())).kind.empty());
}

// The readers are not linked into the agent, which has a list of its own.
void AgentReportsTest::agentKnowsTheSamplesOfAllReaders()
{
    std::vector<std::vector<std::string_view>> keys;
#define LOCKSTEP_KEYS(function) keys.push_back(function().keys);
    LOCKSTEP_SAMPLE_FORMATS(LOCKSTEP_KEYS)
#undef LOCKSTEP_KEYS
    QVERIFY(std::ranges::is_permutation(keys, agent::sampleKeys()));
}

// verl's logger appends a row at the end of each step.
void AgentReportsTest::growingSamplesAreReportedNowAndThen()
{
    TempDir reports;
    const QString root = QString::fromStdString(reports.path().string());
    AgentRun run(hostPlan({{"python3", "-c",
                            "import sys, time\n"
                            "f = open(sys.argv[1] + '/gsm8k.jsonl', 'wb', buffering=0)\n"
                            "for step in range(40):\n"
                            "    f.write(b'{\"step\":%d,\"data\":{\"timing_s/step\":0.2}}\\n' % step)\n"
                            "    time.sleep(2 if step % 20 == 0 else 0.05)\n",
                            root}},
                          {root}));
    run.start();
    QCOMPARE(run.attach().status, 0);
    const auto events = ofKind(run.events(), "report");
    QVERIFY(!events.isEmpty() && events.size() <= 6);
    QCOMPARE(events.last()["type"].toString(), QString("sample records"));
    QVERIFY(events.last()["complete"].toBool());
    const auto listed = run.agent({"list", "--run", run.folderText()}).objects();
    QCOMPARE(listed.size(), 1);
    QVERIFY(listed.first()["complete"].toBool());
    QCOMPARE(listed.first()["size_bytes"].toInteger(), qint64(fs::file_size(reports.path() / "gsm8k.jsonl")));
}

void AgentReportsTest::rootsAndNames()
{
    TempDir folder;
    const std::string odd = std::string("x:\"'\n \xFF") + "-.json";
    folder.write("ray/session_1/logs/nsight/a.json", kTrace);
    folder.write("ray/session_2/logs/nsight/" + odd, kTrace);
    folder.write("ray/other/logs/nsight/b.json", kTrace);
    folder.write("save/step1/deep/--c.json", kTrace);
    folder.write("notes.txt", "no report");
    fs::create_symlink("session_2", folder.path() / "ray/session_latest");
    fs::create_symlink("nowhere", folder.path() / "save/broken");
    fs::create_directory_symlink(folder.path(), folder.path() / "save/step1/loop");
    const std::string base = folder.path().string();
    agent::ReportScanner scanner(
        {base + "/ray/session_*/logs/nsight", base + "/save/step*", base + "/save", base + "/none"});
    const auto found = scanner.scanAtOnce();
    QStringList names;
    for (const auto& report : found)
        names << QString::fromLatin1(QByteArray::fromStdString(report.path.filename().string()));
    names.sort();
    QCOMPARE(names, QStringList({"--c.json", "a.json", QString::fromLatin1(QByteArray::fromStdString(odd))}));
    const AgentAnswer listed =
        runAgent(folder.path(), {"list", QString::fromStdString(base + "/ray/session_2")});
    QCOMPARE(listed.objects().size(), 1);
    const QJsonObject one = listed.objects().first();
    QVERIFY(one["complete"].toBool());
    QCOMPARE(one["sha256"].toString().size(), 64);
    QVERIFY(
        QByteArray::fromHex(one["path_hex"].toString().toLatin1()).endsWith(QByteArray::fromStdString(odd)));
    QVERIFY(!runAgent(folder.path(), {"list", "--quick", "save"}).objects().first().contains("sha256"));
}

void AgentReportsTest::reportsBecomeEvents()
{
    TempDir reports;
    reports.write("before.json", kTrace);
    const timespec old[2] = {{1'000'000, 0}, {1'000'000, 0}};
    ::utimensat(AT_FDCWD, (reports.path() / "before.json").c_str(), old, 0);
    const QString root = QString::fromStdString(reports.path().string());
    AgentRun run(hostPlan({{"python3", "-c",
                            "import os, sys, time\n"
                            "f = open(sys.argv[1] + '/a:b.json', 'w'); t = sys.argv[2]\n"
                            "f.write(t[:40]); f.flush()\n"
                            "while not os.path.exists('go'): time.sleep(0.05)\n"
                            "f.write(t[40:])\n",
                            root, QString::fromStdString(kTrace)}},
                          {root}));
    run.start();
    const auto isCut = [](const QJsonObject& event) {
        return event["kind"].toString() == "report" && event["path"].toString().endsWith("a:b.json");
    };
    QVERIFY(!run.waitFor(isCut).isEmpty());
    std::ofstream(run.home() / "go");
    QCOMPARE(run.attach().status, 0);
    QStringList reportedText;
    for (const QJsonObject& event : ofKind(run.events(), "report")) {
        reportedText << event["path"].toString().mid(root.size() + 1) +
                            (event["old"].toBool() ? " old" : "") +
                            (event["complete"].toBool() ? " complete" : " " + event["reason"].toString());
        QCOMPARE(event["type"].toString(), QString("trace json"));
    }
    QCOMPARE(reportedText.filter("before"), QStringList("before.json old complete"));
    QCOMPARE(reportedText.filter("a:b").last(), QString("a:b.json complete"));
    QVERIFY2(reportedText.contains("a:b.json ends in the middle: cut short or still being written"),
             qPrintable(reportedText.join('\n')));
    QVERIFY(run.events().last()["run"].toBool());
    const auto listed = run.agent({"list", "--run", run.folderText()}).objects();
    QCOMPARE(listed.size(), 2);
}

void AgentReportsTest::converterAfterTheProgramIsWaitedFor()
{
    // The program's converter writes the report after the program has ended.
    TempDir reports;
    reports.write("converted.json", kTrace);
    const QString root = QString::fromStdString(reports.path().string());
    AgentRun run(hostPlan({shell("(sleep 3; cp '" + root + "/converted.json' '" + root +
                                 "/new.json') >/dev/null 2>&1 & "
                                 "printf '{\"traceEvents\": [' > '" +
                                 root + "/new.json'")},
                          {root}));
    run.start();
    QCOMPARE(run.attach().status, 0);
    const QJsonObject last = ofKind(run.events(), "report").last();
    QVERIFY(last["complete"].toBool());
    QVERIFY(last["path"].toString().endsWith("new.json"));
}

LOCKSTEP_TEST(AgentReportsTest, "agent_reports_test")
#include "agent_reports_test.moc"
