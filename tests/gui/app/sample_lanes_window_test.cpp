// SPDX-License-Identifier: Apache-2.0
// Tests lanes of samples in the window: the order and grouping that the lane's menu offers, by keyboard, with
// undo; and what the Details panel says about the batch of a selected span.
#include <set>

#include <QLineEdit>
#include <QMenu>
#include <QTreeWidget>

#include "core/lanes/sample_lanes.h"
#include "core/timeline/hit_rows.h"
#include "core/timeline/lane_kind.h"
#include "tests/support/places.h"
#include "tests/support/requests_file.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/panels/details_panel.h"
#include "ui/panels/top_strip.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/window/view_state.h"

using namespace lockstep;

class SampleLanesWindowTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init()
    {
        makeWindow({.isMotionReduced = true});
        open({test::sourceFolder() / "tests/golden/samples/sglang.jsonl"});
    }

    void menuGroupsAndSorts()
    {
        QCOMPARE(titles(), QStringList("requests"));
        choose("Group samples by", "Outcome");
        QTRY_COMPARE(titles(), QStringList({"requests \u00B7 completed", "requests \u00B7 aborted"}));
        choose("Sort samples by", "Length");
        QCOMPARE(view().lanes().laneState().samples,
                 (SampleLaneChoice{SampleOrder::length, SampleGrouping::outcome}));
        settle();
        undo();
        undo();
        QTRY_COMPARE(titles(), QStringList("requests"));
        QCOMPARE(view().lanes().laneState().samples, SampleLaneChoice());
    }

    void detailsNameTheBatch()
    {
        const Report& report = scene().shown.report(ReportKey(0u));
        for (uint32_t row = 0; row < report.slices.size(); ++row) {
            if (report.nameOf(SliceId(row)) == "decode_loop")
                part<ViewState>().setSlice({ReportKey(0u), SliceId(row)});
        }
        auto& details = part<DetailsPanel>();
        details.show();
        QTRY_VERIFY(details.text().contains("Batch\nbatch\tshared by 31 requests (1 in open reports)\n"));
        QVERIFY(details.text().contains("no trace is open that has thread 90211 of host 1f0c77ab00112233"));
    }

    // A click on a span outlines it and the spans of the same batch, also in the lane itself.
    void clickOutlinesTheBatch_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<bool>("isDark");
        QTest::addColumn<int>("requests");
        for (const int requests : {6, 400}) {
            for (const QSize size : {QSize(1280, 720), QSize(3840, 2160)}) {
                for (const bool isDark : {false, true})
                    QTest::addRow("%d_%d_%s", requests, size.width(), isDark ? "dark" : "light")
                        << size << isDark << requests;
            }
        }
    }

    void clickOutlinesTheBatch()
    {
        QFETCH(QSize, size);
        QFETCH(bool, isDark);
        QFETCH(int, requests);
        makeWindow({.size = size, .isDark = isDark, .isMotionReduced = true});
        open({m_folder->write("requests.jsonl", batchFile(requests))});
        const DisplayRow row = sampleRow();
        const DisplayList& shown = view().displayList();
        auto& canvas = *view().findChild<TimelineCanvas*>();
        const QPoint at(shown.headerWidth + shown.timeWidth() * 8 / 10,
                        std::min(row.y + row.height, canvas.height()) - 1);
        QTest::mouseClick(&canvas, Qt::LeftButton, {}, at);
        settle();
        const SliceRef slice = part<ViewState>().slice();
        QVERIFY(scene().holds(slice));
        QCOMPARE(QString::fromUtf8(scene().shown.report(slice.report).nameOf(slice.slice)),
                 QString("decode_loop"));
        size_t selected = 0, others = 0;
        for (const DisplayMark& mark : view().displayList().marks) {
            const bool isInLane = mark.y >= row.y && mark.y < row.y + row.height;
            selected += isInLane && mark.isSelected ? 1 : 0;
            others += isInLane && !mark.isSelected ? 1 : 0;
        }
        QCOMPARE(selected, size_t(1));
        QVERIFY(others > 0 && others <= size_t(requests - 1) && (requests > 6 || others == 5));
        picture("samples_selected_" + QString(QTest::currentDataTag()));
        QLineEdit& field = *part<TopStrip>().searchField();
        QTest::keyClicks(&field, "prefill_forward");
        settle();
        QCOMPARE(view().displayList().hits->count(), uint64_t(requests));
        picture("samples_search_" + QString(QTest::currentDataTag()));
    }

    // The kernels that the scheduler launched for the batch are outlined in the trace of its GPU, others not.
    void clickOutlinesTheKernels()
    {
        makeWindow({.size = QSize(1280, 720), .isMotionReduced = true});
        open({m_folder->write("requests.jsonl", batchFile(6, "node0")),
              m_folder->write("rank0.json", test::RequestsFile::traceOfThread("node0"))});
        const DisplayRow row = sampleRow();
        auto& canvas = *view().findChild<TimelineCanvas*>();
        const DisplayList& shown = view().displayList();
        QTest::mouseClick(&canvas, Qt::LeftButton, {},
                          {shown.headerWidth + shown.timeWidth() * 55 / 100,
                           std::min(row.y + row.height, canvas.height()) - 1});
        settle();
        const SliceRef slice = part<ViewState>().slice();
        QVERIFY(scene().holds(slice));
        const Report& requests = scene().shown.report(slice.report);
        QCOMPARE(std::string(requests.nameOf(slice.slice)), std::string("decode_loop"));
        const SliceList served = view().state().frameView({}).selection.served;
        QVERIFY(served != nullptr);
        // A launch every 10 ms, and decoding in steps of 100 ms.
        const TimeRange batch = requests.slices.range(slice.slice);
        std::set<int64_t> expected, found;
        for (int64_t at = 0; at < 1'000'000'000; at += 10'000'000) {
            const int64_t launch_ns = test::RequestsFile::kStart_ns + at;
            if (batch.contains(TraceTime{launch_ns})) expected.insert(launch_ns + 5'000'000);
        }
        for (const SliceRef one : *served) {
            const Report& report = scene().shown.report(one.report);
            if (one.report != slice.report) found.insert(report.slices.start_ns[one.slice.value]);
        }
        QCOMPARE(expected.size(), size_t(10));
        QVERIFY(found == expected);
        size_t outlined = 0;
        for (const DisplayMark& mark : view().displayList().marks)
            outlined += !mark.isSelected && (mark.y < row.y || mark.y >= row.y + row.height) ? 1 : 0;
        QVERIFY2(outlined >= 10, std::to_string(outlined).c_str());
        picture("samples_kernels");
        auto& details = part<DetailsPanel>();
        details.show();
        QTRY_VERIFY(details.text().contains("kernels\t10 launched by thread 1"));
    }

  private:
    // Requests that decode together in eight batches.
    static std::string batchFile(int requests, const std::string& host = {})
    {
        test::RequestsFile file;
        for (int i = 0; i < requests; ++i) {
            const int first = 100 + i % 12 * 40;
            std::vector<test::RequestsFile::Stage> stages{{i % 12 * 10, first - 40, {}, 0, "prefill_waiting"},
                                                          {first - 40, first, {}, 0, "prefill_forward"}};
            for (int k = 0; k < 8; ++k) {
                const int begin = std::max(first, 100 * (k + 1)), end = 100 * (k + 2);
                if (begin < end) stages.push_back({begin, end, "b" + std::to_string(k), requests});
            }
            file.add("request" + std::to_string(i), stages);
        }
        return file.text(host);
    }
    DisplayRow sampleRow() const
    {
        for (const DisplayRow& row : view().displayList().rows) {
            if (row.kind->name() == "samples") return row;
        }
        qFatal("no lane of samples");
    }
    QStringList titles() const
    {
        QStringList out;
        for (const Lane& lane : view().state().tree().lanes()) {
            if (lane.data.is<SampleLaneData>()) out << QString::fromStdString(lane.label);
        }
        return out;
    }
    // Selects the first lane of samples by keys, opens its menu, and chooses.
    void choose(const QString& submenu, const QString& choice)
    {
        const LaneTree& tree = view().state().tree();
        press(Qt::Key_Home);
        for (size_t i = 0; i < tree.size(); ++i) {
            const uint32_t focused = view().state().focusedLane;
            if (focused < tree.size() && tree.lane(focused).data.is<SampleLaneData>()) break;
            press(Qt::Key_Down);
        }
        press(Qt::Key_Menu);
        for (QMenu* const menu : view().findChildren<QMenu*>()) {
            if (menu->title() != submenu) continue;
            for (QAction* const action : menu->actions()) {
                if (action->text() != choice) continue;
                action->trigger();
                static_cast<QMenu*>(menu->parent())->close();
                QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
                return;
            }
        }
        QFAIL("no such choice");
    }
};

LOCKSTEP_TEST(SampleLanesWindowTest, "sample_lanes_window_test")
#include "sample_lanes_window_test.moc"
