// SPDX-License-Identifier: Apache-2.0
// Tests two runs side by side in a window: a public run and a copy of it with later clocks, which is opened
// only for the comparison; and two open runs, one of which is slower.
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QtTest>

#include "app/window/compare_controller.h"
#include "app/window/timeline_page_controller.h"
#include "core/timeline/hit_rows.h"
#include "tests/gui/support/compared_run.h"
#include "tests/support/gzip_text.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/compare/changes_panel.h"
#include "ui/compare/compare_bar.h"
#include "ui/compare/compare_view.h"
#include "ui/compare/side_title.h"
#include "ui/panels/table_view.h"
#include "ui/panels/top_strip.h"

using namespace lockstep;

class CompareRunsTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init()
    {
        makeWindow({.isMotionReduced = true});
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        view().setFocus();
    }

    // Every slice has its counterpart at the same position, whatever the clock shows.
    void publicRunWithALaterCopy()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        std::vector<std::filesystem::path> paths;
        for (const auto& entry : std::filesystem::directory_iterator(test::sharedData("kineto/dlrm_8ranks")))
            paths.push_back(entry.path());
        open(paths);
        for (const std::filesystem::path& path : paths)
            m_folder->write("later" / path.filename(), test::gzipped(laterText(path, 7'000'000)));
        const ScenePtr before = view().state().sharedScene();
        chooseFolder(m_folder->path() / "later");
        CompareDialog& dialog = *controller().dialog();
        QTRY_VERIFY(dialog.choice(1).isOther);
        QTest::keyClick(&dialog, Qt::Key_Return);
        settle();
        QVERIFY(compareView().isComparing());
        const SlicePairs& pairs = compareView().halves()->pairs;
        QVERIFY2(pairs.both > 1'000, slicePairsText(pairs).c_str());
        QCOMPARE(pairs.both, uint64_t(pairs.pairs.size()));
        QCOMPARE(pairs.changed, uint64_t(0));
        QCOMPARE(view().state().sharedScene(), before); // the open reports are unchanged
        // A rank far down is aligned with its counterpart.
        view().scrollTo(view().state().flow().scrollingHeight / 2);
        QCOMPARE(compareView().other().state().scroll, view().state().scroll);
        // The run opened only for the comparison is searched separately, and its matches are shown next to
        // the others.
        TopStrip& strip = part<TopStrip>();
        strip.searchField()->setFocus();
        QTest::keyClicks(strip.searchField(), "ncclKernel");
        settle();
        const auto &hits = view().displayList().hits, &others = compareView().other().displayList().hits;
        QVERIFY(hits != nullptr && others != nullptr && hits != others);
        QVERIFY(hits->count() > 0);
        QCOMPARE(others->count(), hits->count());                    // because the run is a copy
        const QString state = part<QLabel>("searchState").toolTip(); // the text, not elided
        QVERIFY2(state.contains("B: "), qPrintable(state));
        strip.searchField()->clear();
        view().setFocus();
        run("Close comparison");
        QVERIFY(!compareView().isComparing());
        QCOMPARE(scene().shown.size(), paths.size());
    }

    // Folders count as runs where no file records its run.
    void twoOpenRunsAreCompared()
    {
        auto paths = test::writeComparedRun(*m_folder, "base", {.ranks = 8});
        const auto slow =
            test::writeComparedRun(*m_folder, "slow", {.ranks = 8, .shift_us = 60'000'000, .extra_us = 30});
        paths.insert(paths.end(), slow.begin(), slow.end());
        open(paths);
        const ScenePtr before = view().state().sharedScene();
        controller().chooseSides();
        QTRY_VERIFY(controller().dialog() != nullptr);
        CompareDialog& dialog = *controller().dialog();
        QVERIFY(dialog.what(0)->currentText().endsWith("/base") && !dialog.choice(0).step);
        QVERIFY(dialog.what(1)->currentText().endsWith("/slow") && !dialog.choice(1).step);
        QTest::mouseClick(&test::part<QPushButton>(dialog, "compare"), Qt::LeftButton);
        settle();
        QVERIFY(compareView().isComparing());
        QCOMPARE(view().scene().shown.size(), size_t(8));
        QCOMPARE(compareView().halves()->pairs.steps.size(), size_t(3));
        QVERIFY(compareView().halves()->pairs.both > 0 && compareView().halves()->pairs.missing == 0);
        ChangesPanel& panel = part<ChangesPanel>();
        const QAbstractItemModel& rows = *panel.view()->model();
        QCOMPARE(rows.index(0, ChangeModel::name).data().toString(), QString("gemm_kernel"));
        QCOMPARE(rows.index(0, ChangeModel::confidence).data().toString(), QString("high"));
        if (const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES"); !folder.isEmpty())
            m_window->grab().save(folder + "/compare_runs_light.png");
        // One pane's run is closed: the comparison ends with a message, and the other run stays open.
        std::vector<ReportKey> keys = compareView().halves()->sides[1].scene->shown.keys();
        part<WorkspaceController>().close(keys);
        settle();
        QVERIFY(!compareView().isComparing());
        QCOMPARE(view().scene().shown.size(), size_t(8));
        QVERIFY(view().state().sharedScene() != before);
    }

    // A run that cannot be opened is reported in the dialog, and nothing is compared.
    void invalidInputsAreReported()
    {
        open(test::writeComparedRun(*m_folder, "base", {.ranks = 1, .steps = 1}));
        m_folder->write("none/words.txt", "nothing to see");
        chooseFolder(m_folder->path() / "none");
        CompareDialog& dialog = *controller().dialog();
        QTRY_VERIFY(dialog.hint().contains("No report"));
        QVERIFY(!test::part<QPushButton>(dialog, "compare").isEnabled());
        dialog.reject();
        QVERIFY(!compareView().isComparing());
    }

  private:
    CompareView& compareView() { return part<CompareView>(); }
    CompareController& controller() { return part<CompareController>(); }

    void chooseFolder(const std::filesystem::path& folder)
    {
        controller().chooseSides();
        QTRY_VERIFY(controller().dialog() != nullptr);
        controller().openOther({folder});
    }

    static std::string laterText(const std::filesystem::path& path, int64_t by_us)
    {
        const std::string text = inflated(test::contentOf(path));
        std::string out;
        out.reserve(text.size() + text.size() / 8);
        constexpr std::string_view kKey = "\"ts\":";
        for (size_t at = 0;;) {
            const size_t found = text.find(kKey, at);
            if (found == std::string::npos) return out + text.substr(at);
            size_t digits = found + kKey.size();
            while (text[digits] == ' ')
                ++digits;
            size_t end = digits;
            while (text[end] >= '0' && text[end] <= '9')
                ++end;
            out += text.substr(at, digits - at) +
                   std::to_string(std::stoll(text.substr(digits, end - digits)) + by_us);
            at = end;
        }
    }

    static std::string inflated(const std::string& bytes)
    {
        z_stream stream = {};
        inflateInit2(&stream, 15 + 16);
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
        stream.avail_in = static_cast<uInt>(bytes.size());
        std::string out;
        std::string part(1 << 20, '\0');
        int state = Z_OK;
        while (state == Z_OK) {
            stream.next_out = reinterpret_cast<Bytef*>(part.data());
            stream.avail_out = static_cast<uInt>(part.size());
            state = inflate(&stream, Z_NO_FLUSH);
            out.append(part.data(), part.size() - stream.avail_out);
        }
        inflateEnd(&stream);
        return out;
    }
};

LOCKSTEP_TEST(CompareRunsTest, "compare_runs_test")
#include "compare_runs_test.moc"
