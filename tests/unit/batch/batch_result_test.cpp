// SPDX-License-Identifier: Apache-2.0
// Tests what a batch stores on disk, and files that were forged.
#include <sys/stat.h>

#include "core/batch/batch_result.h"
#include "core/readers/reader.h"
#include "core/readers/workspace_file/workspace_file.h"
#include "tests/support/batch_site.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::BatchSite;

namespace fs = std::filesystem;

namespace {

constexpr const char* kSection = "batch result";

// A report and its result.
struct Made {
    BatchSite site;
    BatchFolder folder = BatchFolder::below(site.folder() / "out");
    BatchInput input;

    Made()
    {
        site.addTrace("a.json", 3, 50);
        input = batchInput(site.folder() / "a.json", 1000);
        isMade = folder.make().has_value() && makeResult(folder, input, 7, Progress()).has_value();
    }
    bool isMade = false;

    // The result again, complete and with right checksums, but with other values about itself.
    Status lie(const std::function<void(Json&, Workspace&)>& change) const
    {
        FileContents contents = LOCKSTEP_TRY(readContents(folder.resultOf(input), Progress()));
        Json said = LOCKSTEP_TRY(objectFromJson(contents.sections[kSection], "section"));
        change(said, contents.workspace);
        return saveWorkspaceFile(folder.resultOf(input), contents.workspace, {{kSection, jsonLine(said)}},
                                 Progress(), StoredColumns::raw);
    }
};

} // namespace

class BatchResultTest : public QObject {
    Q_OBJECT

  private slots:
    void containsTheReport()
    {
        const Made made;
        QVERIFY(made.isMade);
        const auto result = checkResult(made.folder, made.input);
        QVERIFY(result.has_value());
        QCOMPARE(result->slices, uint64_t(50));
        QCOMPARE(result->reports, uint64_t(1));
        QCOMPARE(result->task, uint64_t(7));
        QCOMPARE(result->sha256.size(), size_t(64));
        const auto rows = loadResult(made.folder, made.input, Progress());
        QVERIFY(rows.has_value());
        const Report& report = rows->report(rows->keys().front());
        QCOMPARE(report.slices.size(), size_t(50));
        QCOMPARE(report.provenance.path, made.input.path);
        for (const fs::path& path :
             {made.folder.path(), made.folder.reports(), made.folder.resultOf(made.input)}) {
            struct stat found = {};
            QCOMPARE(::stat(path.c_str(), &found), 0);
            QCOMPARE(found.st_mode & 0777, fs::is_directory(path) ? 0700U : 0600U);
        }
    }

    void fullDisk()
    {
        const BatchFolder folder(fs::path("/out/.batch"));
        const auto is = [&](ErrorKind kind, const char* message) {
            return isDiskFull(folder, Error{kind, message});
        };
        QVERIFY(is(ErrorKind::io, "/out/.batch/reports/a.lockstep: cannot write: No space left on device"));
        QVERIFY(is(ErrorKind::io, "/out/.batch/reports/a.lockstep: cannot write: Disk quota exceeded"));
        QVERIFY(!is(ErrorKind::io, "/tmp/columns: cannot write: No space left on device")); // from that node
        QVERIFY(!is(ErrorKind::io, "/out/.batch/reports/a.lockstep: cannot write: Permission denied"));
        QVERIFY(!is(ErrorKind::corrupt, "/out/.batch/x: No space left on device"));
    }

    void forgedResults_data()
    {
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("says");
        QTest::addColumn<bool>("isSeenUnread");
        QTest::newRow("another version") << "program"
                                         << "created by a different program" << true;
        QTest::newRow("another report")
            << "key"
            << "created from a different report or a different version of it" << true;
        QTest::newRow("more rows") << "slices"
                                   << "its rows do not match the recorded counts" << false;
        QTest::newRow("another number of reports") << "reports"
                                                   << "its rows do not match the recorded counts" << false;
    }
    void forgedResults()
    {
        QFETCH(QString, field);
        QFETCH(QString, says);
        QFETCH(bool, isSeenUnread);
        const Made made;
        const std::string key = field.toStdString();
        QVERIFY(made.lie([&](Json& said, Workspace&) {
                        if (said[key].is_number())
                            said[key] = 2 + said[key].get<int>();
                        else
                            said[key] = "lockstep 0.0.9";
                    })
                    .has_value());
        QCOMPARE(!checkResult(made.folder, made.input).has_value(), isSeenUnread);
        const auto rows = loadResult(made.folder, made.input, Progress());
        QVERIFY(!rows.has_value());
        QVERIFY2(QString::fromStdString(rows.error().message).contains(says), rows.error().message.c_str());
        QVERIFY(rows.error().message.starts_with(made.folder.resultOf(made.input).string()));
    }

    void workspaceIsNotAResult()
    {
        const Made made;
        const auto contents = readContents(made.folder.resultOf(made.input), Progress());
        QVERIFY(saveWorkspaceFile(made.folder.resultOf(made.input), contents->workspace, {}, Progress())
                    .has_value());
        QVERIFY(!checkResult(made.folder, made.input).has_value());
        QVERIFY(!loadResult(made.folder, made.input, Progress()).has_value());
    }

    void anotherStateIsAnotherInput()
    {
        const Made made;
        QCOMPARE(batchInput(made.input.path, 5).key, made.input.key);
        made.site.addTrace("a.json", 3, 51);
        const BatchInput now = batchInput(made.input.path, 1000);
        QVERIFY(now.key != made.input.key);
        QCOMPARE(checkResult(made.folder, now).error().kind, ErrorKind::notFound);
        // A task that still uses the old result accepts nothing from the new one.
        fs::remove(made.folder.resultOf(made.input));
        const Status made2 = makeResult(made.folder, made.input, 0, Progress());
        QVERIFY(!made2.has_value());
        QVERIFY2(made2.error().message.find("changed while") != std::string::npos,
                 made2.error().message.c_str());
        QVERIFY(!fs::exists(made.folder.resultOf(made.input)));
        QVERIFY(!readFailure(made.folder, made.input)->isFinal());
    }

    void failuresAreStored()
    {
        const Made made;
        std::ofstream(made.site.folder() / "\xff\n.json") << "{\"no\": 1}";
        for (const char* name : {"\xff\n.json", "gone.json"}) {
            const BatchInput input = batchInput(made.site.folder() / name, 0);
            const Status failed = makeResult(made.folder, input, 4, Progress());
            QVERIFY(!failed.has_value());
            const auto kept = readFailure(made.folder, input);
            QVERIFY(kept.has_value());
            QCOMPARE(kept->error.kind, failed.error().kind);
            QCOMPARE(kept->error.message, failed.error().message); // to the byte
            QCOMPARE(kept->task, uint64_t(4));
            QVERIFY(kept->isFinal());
        }
        std::ofstream(made.folder.failureOf(made.input)) << "{\"program\": 3";
        QVERIFY(!readFailure(made.folder, made.input).has_value());
    }

    void taskLists()
    {
        const Made made;
        BatchTasks tasks{thisProgram(), "digest", "/plans", {made.input}, {{0}}};
        tasks.inputs.push_back(batchInput("/\xff\xfe", 9));
        tasks.tasks.push_back({1});
        QVERIFY(made.folder.writeTasks(tasks).has_value());
        const auto read = made.folder.readTasks();
        QVERIFY(read.has_value());
        QCOMPARE(read->inputs[1].path, fs::path("/\xff\xfe"));
        QVERIFY(read->inputs[0].stamp == made.input.stamp && read->inputs[0].key == made.input.key);
        QCOMPARE(read->tasks, tasks.tasks);
        QCOMPARE(read->folder, tasks.folder);
        const auto refuses = [&](const BatchTasks& lie) {
            return made.folder.writeTasks(lie).has_value() && !made.folder.readTasks().has_value();
        };
        BatchTasks lie = tasks;
        lie.tasks = {{0}, {2}};
        QVERIFY(refuses(lie)); // names a missing file
        lie.tasks = {{0, 1}, {1}};
        QVERIFY(refuses(lie)); // one report, two tasks
        lie = tasks;
        lie.inputs[0].key = "../../../etc/passwd0000000000000";
        QVERIFY(refuses(lie)); // would leave the folder
        for (const char* text :
             {"", "[]", "{\"lockstep_batch\": 2}", "{\"lockstep_batch\": 1, \"inputs\": [3]}"}) {
            QVERIFY(writeBatchFile(made.folder.path() / "tasks.json", text).has_value());
            QVERIFY(!made.folder.readTasks().has_value());
        }
    }

    void oneTaskHasTheReport()
    {
        const Made made;
        auto first = BatchLock::take(made.folder);
        QVERIFY(first.has_value());
        const auto second = BatchLock::take(made.folder);
        QVERIFY(!second.has_value());
        QVERIFY2(second.error().message.find(batchHost() + ", process ") == 0,
                 second.error().message.c_str());
        {
            const BatchLock gone = *std::move(first);
        }
        QVERIFY(BatchLock::take(made.folder).has_value());
    }

    void patterns()
    {
        const Made made;
        for (const char* name : {"r/b.json", "r/a.json", "r/.hidden.json", "r/c.txt", "r/x[1].json"})
            made.site.addTrace(name, 0);
        const std::string base = (made.site.folder() / "r").string();
        const auto names = [&](const std::string& pattern) {
            std::vector<std::string> out;
            for (const fs::path& path : filesOfPattern(base + pattern))
                out.push_back(path.string().substr(base.size()));
            return out;
        };
        QCOMPARE(names("/*.json"), (std::vector<std::string>{"/a.json", "/b.json", "/x[1].json"}));
        QCOMPARE(names("/x[1].json"), std::vector<std::string>{"/x[1].json"}); // a file's own name
        QCOMPARE(names("/none*"), std::vector<std::string>{"/none*"});
        QCOMPARE(names("/plain"), std::vector<std::string>{"/plain"});
    }
};

LOCKSTEP_TEST(BatchResultTest, "batch_result_test")
#include "batch_result_test.moc"
