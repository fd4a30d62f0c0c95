// SPDX-License-Identifier: Apache-2.0
// Tests the lanes of the public snapshots: one per device, as high as the history's peak. The axis is time if
// the file has times, otherwise the index or the dump alone, with a mark; hovering shows what is drawn.
#include "core/base/text.h"
#include "core/readers/reader.h"
#include "core/timeline/hit_test.h"
#include "core/timeline/lane_kind.h"
#include "core/timeline/lane_kinds/memory_columns.h"
#include "core/timeline/layout.h"
#include "tests/support/made_reports.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::sharedData;

class MemoryLaneFilesTest : public QObject {
    Q_OBJECT

  private slots:
    void lanes_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("lanes");
        QTest::addColumn<QString>("label");
        QTest::addColumn<QString>("card"); // a part of it
        QTest::newRow("timed") << "forward_cuda.pickle" << 1 << "memory"
                               << "at ";
        QTest::newRow("dump alone") << "verl_mem.pickle" << 1 << "memory \u00B7 dump"
                                    << "state at the dump";
        QTest::newRow("NPU") << "snapshot_expandable.pkl" << 1 << "memory \u00B7 by index"
                             << "the file has no times";
        QTest::newRow("NPU, devices") << "snapshot_with_multi_devices.pkl" << 2 << "memory \u00B7 by index"
                                      << "the file has no times";
    }
    void lanes()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        QFETCH(QString, file);
        QFETCH(int, lanes);
        QFETCH(QString, label);
        QFETCH(QString, card);
        Workspace workspace;
        workspace.add(
            readReport(sharedData("memory/" + file.toStdString()), Progress(test::workers())).value());
        const ScenePtr scene = test::madeScene(workspace);
        const LaneFlow flow =
            placeLanes(*scene, {}, std::vector<bool>(scene->tree->size(), true), FrameMetrics::at(1));
        const LabelFont font = LabelFont::fixed(7);
        FrameView view;
        view.flow = &flow;
        view.font = &font;
        view.size = {1280, flow.scrollingHeight};
        const TimeRange extent = scene->extent();
        view.visible = {extent.begin, extent.end + Duration{1}};
        const DisplayList list = layOut(*scene, view);
        int shown = 0;
        for (const DisplayRow& row : list.rows) {
            if (row.kind->name() != "memory") continue;
            ++shown;
            const Lane& lane = scene->tree->lane(row.lane);
            QCOMPARE(QString::fromStdString(lane.label), label);
            const DeviceReplay& device = memoryPlaceOf(*scene, row.lane, row.track.report).value().device();
            const std::vector<MemoryColumnShape>& columns = row.data.as<MemoryRowData>()->columns;
            QVERIFY(!columns.empty());
            const auto highest = std::ranges::min_element(
                columns, {}, [](const MemoryColumnShape& column) { return column.tops.back(); });
            const auto peak = static_cast<double>(device.peaks.active.levels.active);
            QCOMPARE(int(highest->tops.back()),
                     memoryHeightOf(peak, memoryScaleTop(lane), row.height, list.metrics));
            // The card over the peak shows the bytes of the whole.
            const auto column =
                std::ranges::find(columns, device.peaks.active.moment, &MemoryColumnShape::moment);
            QVERIFY(column != columns.end());
            const Hit hit = hitTest(list, list.headerWidth + column->x, row.y + row.height - 2, 0);
            QString text;
            for (const std::string& line : row.kind->hover(*scene, list, hit))
                text += QString::fromStdString(line) + "\n";
            QVERIFY2(text.contains(card), qPrintable(text));
            QVERIFY2(text.contains(
                         QString::fromStdString("active " + byteText(device.peaks.active.levels.active))),
                     qPrintable(text));
            QVERIFY2(text.contains("largest block: "), qPrintable(text));
        }
        QCOMPARE(shown, lanes);
    }
};

LOCKSTEP_TEST(MemoryLaneFilesTest, "memory_lane_files_test")
#include "memory_lane_files_test.moc"
