// SPDX-License-Identifier: Apache-2.0
// Tests a batch with several processes on this machine: its tables equal those of one process byte for byte,
// whatever happened on the way.
#include <csignal>

#include "tests/support/batch_site.h"
#include "tests/support/demo_files.h"
#include "tests/support/places.h"
#include "tests/support/ssh_site.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::BatchSite;
using lockstep::test::ProgramRun;
using lockstep::test::waitUntil;

namespace fs = std::filesystem;

namespace {

using Tables = std::map<std::string, std::string>;

const QStringList kTwo{"inventory,cuda_gpu_kern_sum", "--format", "json"};

int exitOf(QProcess& process)
{
    if (process.state() != QProcess::NotRunning && !process.waitForFinished(test::kPatience_ms)) return -1;
    return process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
}

// Four traces and one recording that the stand-in nsys opens. With two tasks at a time, one ends while the
// other is held.
void addFive(const BatchSite& site)
{
    for (int rank = 0; rank < 4; ++rank)
        site.addTrace("reports/rank" + std::to_string(rank) + ".json", rank);
    site.addRecording("reports/z.nsys-rep");
}

constexpr const char* kOneEach = "reports_per_task: 1\njobs: 2\n";

// The batch is running with everything done except the recording, whose task is held.
std::unique_ptr<QProcess> heldBatch(const BatchSite& site)
{
    site.hold(true);
    auto process = site.start({"--batch", "plan.yaml"});
    if (!waitUntil([&] { return site.isHeld() && site.resultCount() == 4; })) {
        process->kill();
        process->waitForFinished(test::kPatience_ms);
        qWarning() << process->readAllStandardError();
        return nullptr;
    }
    return process;
}

} // namespace

class BatchTest : public QObject {
    Q_OBJECT

  private slots:
    // Tables of every kind, made by 1, 2 and 8 tasks, and by 1, 2 and 8 workers.
    void equalsOneProcess_data()
    {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QStringList>("words");
        const QString tables =
            "inventory,alignment,cuda_gpu_kern_sum:base,cuda_gpu_trace,nvtx_sum,step_breakdown,"
            "stragglers,cuda_api_sum,gpu_gaps,collectives";
        const auto row = [&](const char* name, const QString& options, const QStringList& words) {
            QTest::newRow(name) << options << words;
        };
        row("json", "format: json\n", {tables, "--format", "json"});
        row("csv by rank", "by: rank\nprovenance: true\ntimeunit: us\nrows: 50\n",
            {tables, "--by", "rank", "--provenance", "--timeunit", "us", "--rows", "50"});
        row("filtered", "format: table\nfilter: [rank=0..2, name=e]\nalign: zero\ntime_range: 1ms..1s\n",
            {tables, "--format", "table", "--filter", "rank=0..2", "--filter", "name=e", "--align", "zero",
             "--time-range", "1ms..1s"});
        row("documents", "size: 640x360\n",
            {"report,chrome,perfetto,sqlite,workspace,timeline,inventory", "--size", "640x360"});
    }
    void equalsOneProcess()
    {
        QFETCH(QString, options);
        QFETCH(QStringList, words);
        BatchSite site;
        QVERIFY(test::writeDemoFiles(site.folder() / "reports").has_value());
        const Tables one = site.exported(words + QStringList{"reports"});
        QVERIFY(one.size() >= size_t(words.front().count(',') + 1)); // some tables with a provenance file
        for (const char* count : {"1", "2", "8"}) {
            std::error_code ignored;
            fs::remove_all(site.folder() / "out", ignored);
            site.plan = "inputs: [reports]\noutput: out\ntasks: " + std::string(count) + "\nexport: [\"" +
                        words.front().toStdString() + "\"]\n";
            site.writePlan(options.toStdString());
            const ProgramRun run = site.batch({"--jobs", count});
            QVERIFY2(run.status == 0, run.errors);
            const Tables made = site.tables();
            QCOMPARE(made.size(), one.size());
            for (const auto& [name, content] : one)
                QVERIFY2(made.contains(name) && made.at(name) == content, name.c_str());
            QCOMPARE(site.resultCount(), size_t(16));
        }
    }

    // Paths with characters that are special in a shell; two files with the same content; one that is not a
    // report, and one that does not exist.
    void oddInputs()
    {
        BatchSite site;
        const std::vector<std::string> names{"-o",     "with space.json", "line\nfeed.json",
                                             "*.json", "\xff\xfe.json",   "hex:00"};
        std::string list;
        for (size_t i = 0; i < names.size(); ++i) {
            site.addTrace(names[i], i == 1 ? 0 : static_cast<int>(i));
            list += "./" + names[i] + '\0';
        }
        std::ofstream(site.folder() / "words.json") << "{\"no\": \"trace\"}";
        list += std::string("./words.json") + '\0' + "./gone.json" + '\0';
        std::ofstream(site.folder() / "list", std::ios::binary) << list;
        site.plan = "input_list: list\nexport: [inventory, cuda_gpu_kern_sum]\nformat: json\noutput: out\n";
        site.writePlan("tasks: 3\n");
        const ProgramRun run = site.batch();
        QVERIFY2(run.status == 3, run.errors);
        QProcess cat;
        const auto one = site.start(QStringList{"-o", "one/", "--export"} + kTwo + QStringList{"-"});
        one->write(QByteArray::fromStdString(list));
        one->closeWriteChannel();
        QCOMPARE(exitOf(*one), 3);
        QCOMPARE(site.tables().size(), size_t(2));
        QVERIFY(site.tables() == site.tables("one"));
        // A file that is itself invalid is not read again by the next start.
        const auto inodes = site.resultInodes();
        QCOMPARE(site.batch().status, 3);
        QVERIFY(site.resultInodes() == inodes);
        QVERIFY(test::contentOf(site.folder() / "out/batch.json").find("\"tasks_run\": 0") !=
                std::string::npos);
    }

    void everyPublicFile()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        BatchSite site;
        QString tables; // all tables of the program except the comparison of two runs
        for (const QByteArray& line : site.run({"--help"}).output.split('\n')) {
            const bool isTable = line.startsWith("  ") && line.size() > 2 && line[2] >= 'a' && line[2] <= 'z';
            const QString name = QString::fromUtf8(line.trimmed().split(' ').front().split('[').front());
            if (line.startsWith("Pictures")) break;
            if (isTable && !line.contains("lockstep ") && name != "diff" && name != "memory_diff")
                tables += (tables.isEmpty() ? "" : ",") + name;
        }
        QVERIFY(tables.count(',') > 50);
        // Excludes the files that exhaust memory; memory_limit_test covers those.
        std::string inputs;
        QStringList folders;
        for (const fs::directory_entry& entry : fs::directory_iterator(test::sharedData())) {
            if (entry.path().filename() == "faults") continue;
            inputs += (inputs.empty() ? "\"" : ", \"") + entry.path().string() + "\"";
            folders.push_back(QString::fromStdString(entry.path().string()));
        }
        site.plan =
            "inputs: [" + inputs + "]\nformat: json\noutput: out\nexport: \"" + tables.toStdString() + "\"\n";
        site.writePlan("");
        const ProgramRun run = site.batch({"-q"});
        QVERIFY2(run.status == 0 || run.status == 3, run.errors.right(2000));
        const Tables one = site.exported(QStringList{tables, "--format", "json", "-q"} + folders, run.status);
        QCOMPARE(one.size(), size_t(tables.count(',') + 1));
        const Tables made = site.tables();
        for (const auto& [name, content] : one)
            QVERIFY2(made.contains(name) && made.at(name) == content, name.c_str());
    }

    void killedTaskIsRetried()
    {
        BatchSite site;
        addFive(site);
        site.writePlan("tasks: 2\n");
        site.killCaller(false);
        const ProgramRun run = site.batch();
        QVERIFY2(run.status == 0, run.errors);
        QVERIFY2(run.errors.contains(": ended by signal 9; retrying"), run.errors);
        QVERIFY(site.tables() == site.exported(kTwo + QStringList{"reports"}));
    }

    // A report that crashes every task: only this report is missing, and the table, the summary and the
    // status say so.
    void permanentFailuresAreNamed()
    {
        BatchSite site;
        addFive(site);
        site.plan = "inputs: [reports]\nexport: [cuda_gpu_kern_sum]\noutput: out\n";
        site.writePlan("tasks: 1\nretries: 1\n");
        site.killCaller(true);
        const ProgramRun run = site.batch();
        QVERIFY2(run.status == 3, run.errors);
        QVERIFY2(run.errors.contains("ended by signal 9; no more retries"), run.errors);
        QVERIFY2(run.errors.contains("reports/z.nsys-rep: not read: task"), run.errors);
        const std::string table = site.tables().at("cuda_gpu_kern_sum.csv");
        QVERIFY2(table.find("failed: reports/z.nsys-rep: not read: task") != std::string::npos,
                 table.c_str());
        QVERIFY(table.find("gemm0") != std::string::npos); // the rest is complete
        QCOMPARE(site.resultCount(), size_t(4));
        const std::string account = test::contentOf(site.folder() / "out/batch.json");
        QVERIFY(account.find("\"inputs_lost\": 1") != std::string::npos);
        // The next start adds this report and reads no other.
        site.killNobody();
        const auto before = site.resultInodes();
        const ProgramRun next = site.batch();
        QVERIFY2(next.status == 0, next.errors);
        QVERIFY2(next.errors.contains("5 reports, of which 4 done, 0 changed, 0 new"), next.errors);
        QVERIFY(site.tables() == site.exported({"cuda_gpu_kern_sum", "reports"}));
        for (const auto& [name, inode] : before)
            QCOMPARE(site.resultInodes().at(name), inode);
    }

    void killedParentIsContinued_data()
    {
        QTest::addColumn<int>("signal");
        QTest::addColumn<int>("status");
        QTest::newRow("kill -9") << SIGKILL << -1;
        QTest::newRow("Ctrl-C") << SIGINT << 130;
    }
    void killedParentIsContinued()
    {
        QFETCH(int, signal);
        QFETCH(int, status);
        BatchSite site;
        addFive(site);
        site.writePlan(kOneEach);
        const auto process = heldBatch(site);
        QVERIFY(process != nullptr);
        const auto before = site.resultInodes();
        ::kill(static_cast<pid_t>(process->processId()), signal);
        QCOMPARE(exitOf(*process), status);
        QVERIFY(waitUntil([&] { return site.tasksRunning() == 0; })); // its tasks end with it
        QVERIFY(site.tables().empty());
        site.hold(false);
        const ProgramRun next = site.batch();
        QVERIFY2(next.status == 0, next.errors);
        QVERIFY2(next.errors.contains("5 reports, of which 4 done, 0 changed, 0 new"), next.errors);
        QVERIFY(site.tables() == site.exported(kTwo + QStringList{"reports"}));
        for (const auto& [name, inode] : before)
            QCOMPARE(site.resultInodes().at(name), inode);
    }

    void twoStartsAtOnce()
    {
        BatchSite site;
        addFive(site);
        site.writePlan(kOneEach);
        const auto first = heldBatch(site);
        QVERIFY(first != nullptr);
        const ProgramRun second = site.batch();
        QCOMPARE(second.status, 1);
        QVERIFY2(second.errors.contains("process " + QByteArray::number(first->processId()) +
                                        ", is using this batch"),
                 second.errors);
        site.hold(false);
        QCOMPARE(exitOf(*first), 0);
        QVERIFY(site.tables() == site.exported(kTwo + QStringList{"reports"}));
    }

    // Changes between two starts, and while one is running.
    void changedInputsAreReadAgain()
    {
        BatchSite site;
        addFive(site);
        site.writePlan(kOneEach);
        QCOMPARE(site.batch().status, 0);
        const auto before = site.resultInodes();
        site.addTrace("reports/rank1.json", 1, 33);
        site.addTrace("reports/rank7.json", 7);
        fs::remove(site.folder() / "reports/rank2.json");
        site.writePlan(std::string(kOneEach) + "timeunit: ms\n");
        const ProgramRun next = site.batch();
        QVERIFY2(next.status == 0, next.errors);
        QVERIFY2(next.errors.contains("the plan changed since the last start"), next.errors);
        QVERIFY2(next.errors.contains("5 reports, of which 3 done, 1 changed, 1 new"), next.errors);
        const QStringList inMs = kTwo + QStringList{"--timeunit", "ms", "reports"};
        QVERIFY(site.tables() == site.exported(inMs));
        size_t kept = 0;
        for (const auto& [name, inode] : site.resultInodes())
            kept += before.contains(name) && before.at(name) == inode ? 1 : 0;
        QCOMPARE(kept, size_t(3));
        QCOMPARE(site.resultCount(), size_t(5)); // results without a report are deleted
        site.addRecording("reports/z.nsys-rep", "new");
        site.hold(true);
        const auto process = site.start({"--batch", "plan.yaml"});
        QVERIFY(waitUntil([&] { return site.isHeld(); }));
        site.addTrace("reports/rank0.json", 0, 44);
        site.addRecording("reports/z.nsys-rep", "while it is read");
        site.hold(false);
        QCOMPARE(exitOf(*process), 0);
        QVERIFY(process->readAllStandardError().contains("rank0.json: changed meanwhile; reading it again"));
        QVERIFY(site.tables() == site.exported(inMs));
    }

    void vanishedInputIsReported()
    {
        BatchSite site;
        addFive(site);
        site.plan =
            "inputs: [reports/rank*.json, reports/z.nsys-rep]\nexport: [inventory, cuda_gpu_kern_sum]\n"
            "format: json\noutput: out\n";
        site.writePlan(kOneEach);
        const auto process = heldBatch(site);
        QVERIFY(process != nullptr);
        fs::remove(site.folder() / "reports/rank2.json");
        site.hold(false);
        QCOMPARE(exitOf(*process), 3);
        QStringList words = kTwo;
        for (const char* name : {"rank0.json", "rank1.json", "rank2.json", "rank3.json", "z.nsys-rep"})
            words << QStringLiteral("reports/") + name;
        QVERIFY(site.tables() == site.exported(words, 3));
    }

    void damagedResultsAreRebuilt_data()
    {
        QTest::addColumn<QString>("damage");
        for (const char* damage : {"cut", "empty", "other bytes", "of another report", "a folder"})
            QTest::newRow(damage) << damage;
    }
    void damagedResultsAreRebuilt()
    {
        QFETCH(QString, damage);
        BatchSite site;
        addFive(site);
        site.writePlan("");
        QCOMPARE(site.batch().status, 0);
        const Tables whole = site.tables();
        std::vector<fs::path> results;
        for (const auto& [name, inode] : site.resultInodes())
            results.push_back(site.results() / name);
        const std::string bytes = test::contentOf(results[0]);
        std::string changed = bytes;
        if (damage == "cut") changed.resize(bytes.size() / 2);
        if (damage == "empty") changed.clear();
        if (damage == "other bytes") // more than fits between two blocks
            std::fill_n(changed.begin() + static_cast<ptrdiff_t>(bytes.size() / 3), 256, '\x5a');
        if (damage == "of another report") changed = test::contentOf(results[1]);
        fs::remove(results[0]);
        if (damage == "a folder") fs::create_directories(results[0]);
        if (damage != "a folder") std::ofstream(results[0], std::ios::binary) << changed;
        const ProgramRun next = site.batch();
        QVERIFY2(next.status == 0, next.errors);
        QVERIFY2(next.errors.contains("rebuilding this result"), next.errors);
        QVERIFY(site.tables() == whole);
        QVERIFY(fs::file_size(results[0]) > bytes.size() / 2);
    }

    void outputBelowTheInputs()
    {
        BatchSite site;
        addFive(site);
        site.plan = "inputs: [reports]\nexport: [cuda_gpu_kern_sum]\noutput: reports/out\n";
        site.writePlan("");
        QCOMPARE(site.batch().status, 0);
        const Tables first = site.tables("reports/out");
        QCOMPARE(site.batch().status, 0);
        QVERIFY(site.tables("reports/out") == first);
    }

    // Listed in the summary and counted once.
    void skippedFiles()
    {
        BatchSite site;
        addFive(site);
        std::ofstream(site.folder() / "reports/notes.txt") << "no report";
        std::ofstream(site.folder() / "reports/words.json") << "{\"no\": \"trace\"}";
        site.plan = "inputs: [reports]\nexport: [cuda_gpu_kern_sum]\noutput: reports/out\n";
        site.writePlan("");
        const ProgramRun run = site.batch();
        QVERIFY2(run.status == 0, run.errors);
        QCOMPARE(run.errors.count("skipped"), 1);
        QVERIFY2(run.errors.contains("lockstep: 2 files were skipped; batch.json lists them\n"), run.errors);
        const std::string account = test::contentOf(site.folder() / "reports/out/batch.json");
        QVERIFY2(account.find("\"passed_over\": [") != std::string::npos, account.c_str());
        for (const char* name : {"notes.txt", "words.json"})
            QVERIFY2(account.find("reports/" + std::string(name) + "\",") != std::string::npos,
                     account.c_str());
        QVERIFY(account.find("\"reason\": \"\"") == std::string::npos);
        QVERIFY(account.find(".batch/") == std::string::npos);
        QVERIFY(!site.batch({"-q"}).errors.contains("skipped"));
    }

    void wrongPlans_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* name, const char* text, const char* says) {
            QTest::newRow(name) << text << QByteArray(says);
        };
        row("unknown key", "inputs: [reports]\nexport: [inventory]\noutput: out\nretires: 3\n",
            "plan.yaml: line 4, column 1: unknown key 'retires' in a batch plan; did you mean 'retries'?");
        row("unknown table", "inputs: [reports]\nexport: [inventorx]\noutput: out\n", "inventorx");
        row("wrong option", "inputs: [reports]\nexport: [inventory]\noutput: out\nby: nobody\n",
            "--by 'nobody'");
        row("no reports", "inputs: [nothing*]\nexport: [inventory]\noutput: out\n", "");
    }
    void wrongPlans()
    {
        QFETCH(QString, text);
        QFETCH(QByteArray, says);
        BatchSite site;
        site.plan = text.toStdString();
        site.writePlan("");
        const ProgramRun run = site.batch();
        QCOMPARE(run.status, says.isEmpty() ? 1 : 2);
        QVERIFY2(run.errors.contains(says), run.errors);
        QVERIFY(!run.errors.isEmpty());
        QVERIFY(says.isEmpty() || !fs::exists(site.folder() / "out"));
    }
};

LOCKSTEP_TEST(BatchTest, "batch_test")
#include "batch_test.moc"
