// SPDX-License-Identifier: Apache-2.0
// Tests WorkspaceController: reports appear as they finish; cancel and failures; hiding a report does not
// move the others.
#include "app/window/workspace_controller.h"
#include "core/trace/identity.h"

#include <atomic>

#include <QSignalSpy>

#include "tests/support/in_window.h"
#include "tests/support/made_reports.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

// Opens "rankN" as the generated rank N, and fails on everything else.
Result<OpenedFile> openMade(const std::filesystem::path& path, const Progress& progress)
{
    const std::string name = path.filename().string();
    if (!name.starts_with("rank"))
        return makeError(ErrorKind::corrupt, path.string() + ": broken; copy it again");
    progress.report(1, 2);
    test::MadeRank made;
    made.rank = std::stoi(name.substr(4));
    made.steps = 1;
    made.utcAtZero_ns += made.rank * 1'000'000;
    OpenedFile opened;
    opened.reports.push_back({test::madeRank(made), nullptr, {}, {}, {}});
    opened.reports[0].lod = buildLod(*opened.reports[0].report, test::workers());
    return opened;
}

} // namespace

class WorkspaceControllerTest : public QObject {
    Q_OBJECT

  private slots:
    void opensAndKeepsFailures()
    {
        WorkDocument document;
        WorkspaceController controller(document, test::workers(), test::memory(), nullptr, openMade);
        controller.open({"/r/rank0", "/r/bad", "/r/rank1", "/r/rank0"});
        QTRY_COMPARE(controller.reports().entries().size(),
                     size_t(3)); // the second rank0 is a duplicate of the first
        QTRY_VERIFY(!controller.isBusy());
        QCOMPARE(controller.scene()->shown.size(), size_t(2));
        for (const ReportKey key : controller.scene()->shown.keys())
            QVERIFY(controller.scene()->lods[key] != nullptr);
        QCOMPARE(controller.reports().entries()[1].state, ReportState::failed);
        QCOMPARE(controller.reports().entries()[1].error.kind, ErrorKind::corrupt);
        QVERIFY(controller.reports().residentBytes() > 0);
        controller.dismiss(controller.reports().entries()[1].key);
        QCOMPARE(controller.reports().entries().size(), size_t(2));
    }

    void hidingMovesNothing()
    {
        WorkDocument document;
        WorkspaceController controller(document, test::workers(), test::memory(), nullptr, openMade);
        controller.open({"/r/rank0", "/r/rank1"});
        QTRY_VERIFY(!controller.isBusy());
        const ReportKey first = controller.reports().entries()[0].key,
                        second = controller.reports().entries()[1].key;
        const int64_t before = controller.scene()->alignment.map(second).offset_ns;
        controller.setShown({first}, false);
        QTRY_VERIFY(!controller.isBusy());
        QCOMPARE(controller.scene()->shown.keys(), std::vector<ReportKey>{second});
        QCOMPARE(controller.scene()->alignment.map(second).offset_ns, before);
        controller.close({first});
        QTRY_VERIFY(!controller.isBusy());
        QCOMPARE(controller.reports().entries().size(), size_t(1));
        QVERIFY(controller.scene()->alignment.map(second).offset_ns !=
                before); // the axis starts with the remaining reports
    }

    // A scene that does not include the edit yet must not undo it: the next edit and a save use the entries.
    void editsDuringASceneArePreserved()
    {
        WorkDocument document;
        WorkspaceController controller(document, test::workers(), test::memory(), nullptr, openMade);
        controller.open({"/r/rank0", "/r/rank1"});
        QTRY_VERIFY(!controller.isBusy());
        const ReportKey first = controller.reports().entries()[0].key,
                        second = controller.reports().entries()[1].key;
        Identity saidFirst, saidSecond;
        QVERIFY(editPart(saidFirst, "rank", "5", "by hand") && editPart(saidSecond, "rank", "6", "by hand"));
        size_t scenes = 0, kept = 0;
        connect(&controller, &WorkspaceController::sceneChanged, this, [&] {
            ++scenes;
            kept += controller.reports().openReports().reportIdentity(second).stated.rank.value == 6;
        });
        document.edit("first", [&](Work& work) { work.stated[first] = saidFirst; });
        document.edit("second", [&](Work& work) {
            work.stated[second] = saidSecond;
        }); // while the scene of the first is being made
        QTRY_VERIFY(!controller.isBusy());
        QVERIFY(scenes >= 2);
        QCOMPARE(kept, scenes);
        QCOMPARE(controller.scene()->shown.identity(first).rank.value, std::optional<int>(5));
        QCOMPARE(controller.scene()->shown.identity(second).rank.value, std::optional<int>(6));
    }

    void cancelStopsTheReader()
    {
        std::atomic<bool> started = false;
        std::atomic<bool> stopped = false;
        WorkDocument document;
        WorkspaceController controller(document, test::workers(), test::memory(), nullptr,
                                       [&](const std::filesystem::path&, const Progress& progress) {
                                           started = true;
                                           while (!progress.isCanceled())
                                               std::this_thread::yield();
                                           stopped = true;
                                           return Result<OpenedFile>(
                                               makeError(ErrorKind::canceled, "canceled"));
                                       });
        controller.open({"/r/rank0"});
        QTRY_VERIFY(started);
        controller.cancel(controller.reports().entries()[0].key);
        QVERIFY(controller.reports().entries().empty());
        QTRY_VERIFY(stopped && !controller.isBusy());
        QVERIFY(controller.reports().entries().empty());
    }

    void destroyedWhileLoading()
    {
        std::atomic<bool> started = false;
        WorkDocument document;
        auto controller = std::make_unique<WorkspaceController>(
            document, test::workers(), test::memory(), nullptr,
            [&](const std::filesystem::path&, const Progress& progress) {
                started = true;
                while (!progress.isCanceled())
                    std::this_thread::yield();
                return Result<OpenedFile>(makeError(ErrorKind::canceled, "canceled"));
            });
        controller->open({"/r/rank0", "/r/rank1", "/r/rank2", "/r/rank3", "/r/rank4", "/r/rank5"});
        QTRY_VERIFY(started);
        controller.reset();
    }

    void retryOpensAgain()
    {
        std::atomic<bool> isMended = false;
        WorkDocument document;
        WorkspaceController controller(document, test::workers(), test::memory(), nullptr,
                                       [&](const std::filesystem::path& path, const Progress& progress) {
                                           return isMended ? openMade("/r/rank0", progress)
                                                           : openMade(path, progress);
                                       });
        controller.open({"/r/bad"});
        QTRY_VERIFY(!controller.isBusy());
        isMended = true;
        controller.retry(controller.reports().entries()[0].key);
        QTRY_COMPARE(controller.reports().entries()[0].state, ReportState::open);
    }

    void searchesFolders()
    {
        const test::TempDir folder;
        folder.write(
            "a/trace.json",
            R"({"traceEvents":[{"ph":"X","ts":1,"dur":2,"pid":1,"tid":1,"name":"a","cat":"cpu_op"}]})");
        folder.write("a/readme.md", "# nothing");
        WorkDocument document;
        WorkspaceController controller(document, test::workers(), test::memory());
        controller.open({folder.path()});
        QTRY_VERIFY(!controller.isBusy());
        QCOMPARE(controller.reports().entries().size(), size_t(1));
        QCOMPARE(controller.reports().entries()[0].state, ReportState::open);
        QCOMPARE(controller.reports().skippedFiles().size(), size_t(1));
        QCOMPARE(controller.reports().skippedFiles()[0].path.filename(), std::filesystem::path("readme.md"));
    }
};

LOCKSTEP_TEST(WorkspaceControllerTest, "workspace_controller_test")
#include "workspace_controller_test.moc"
