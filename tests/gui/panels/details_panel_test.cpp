// SPDX-License-Identifier: Apache-2.0
// Tests DetailsPanel: values, links to follow, a readable message when the file is gone, copying.
#include "ui/panels/details_panel.h"

#include <QTreeWidget>

#include "tests/support/made_reports.h"
#include "tests/support/row_report.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/window/view_state.h"

using namespace lockstep;

namespace {

QTreeWidgetItem* itemNamed(const QTreeWidget& tree, const QString& name)
{
    const QList<QTreeWidgetItem*> found =
        const_cast<QTreeWidget&>(tree).findItems(name, Qt::MatchExactly | Qt::MatchRecursive, 0);
    return found.isEmpty() ? nullptr : found.first();
}

} // namespace

class DetailsPanelTest : public QObject {
    Q_OBJECT

  private slots:
    void showsValuesAndLinks()
    {
        const Workspace workspace = test::madeWorkspace(1, 1);
        const Report& report = workspace.report(ReportKey(0u));
        QVERIFY(report.links.size() > 0);
        const Link link = report.links.all()[0];
        ViewState view;
        DetailsPanel panel(view);
        panel.show();
        panel.setScene(makeScene(workspace, alignReports(workspace, {}), test::workers()));
        view.setSlice({ReportKey(0u), link.effect});
        const QTreeWidget& tree = *panel.tree();
        QVERIFY(itemNamed(tree, "start, UTC") != nullptr);
        QVERIFY(itemNamed(tree, "duration")->text(1).endsWith(" ns"));
        QTreeWidgetItem* const cause = itemNamed(tree, "launched by");
        QVERIFY(cause != nullptr);
        SliceRef asked;
        connect(&view, &ViewState::revealRequested, this, [&](SliceRef slice) { asked = slice; });
        emit panel.tree()->itemClicked(cause, 1);
        QCOMPARE(asked, (SliceRef{ReportKey(0u), link.cause}));
        QVERIFY(view.slice() == asked);
        QVERIFY(panel.text().contains("duration\t"));
        // A generated report has no file to read again: the reason appears in place of the arguments.
        QTRY_VERIFY(!panel.isBusy());
        QVERIFY(itemNamed(tree, "not read") != nullptr);
        QVERIFY(!itemNamed(tree, "not read")->text(1).isEmpty());
    }

    void showsWhatSurroundsTheSlice()
    {
        const Workspace workspace = test::madeWorkspace(1, 1);
        const Report& report = workspace.report(ReportKey(0u));
        QVERIFY(!report.memoryOps.empty());
        ViewState view;
        DetailsPanel panel(view);
        panel.show();
        panel.setScene(makeScene(workspace, alignReports(workspace, {}), test::workers()));
        view.setSlice({ReportKey(0u), report.memoryOps[0].slice});
        const QTreeWidget& tree = *panel.tree();
        QCOMPARE(itemNamed(tree, "throughput")->text(1), QString("20.000 GB/s")); // 20 bytes per ns
        const QString latency = itemNamed(tree, "launch latency")->text(1);
        QVERIFY2(latency.contains(" after the start of the call, "), qPrintable(latency));
        const QTreeWidgetItem* const section = itemNamed(tree, "Ranges around the launch");
        QVERIFY(section != nullptr && section->childCount() > 0);
        QVERIFY(section->child(section->childCount() - 1)->text(1).startsWith("step 0"));
    }

    void showsTheProjectionOfARange()
    {
        test::RowReport rows;
        rows.range("step", 0, 300);
        rows.range("idle", 400, 500);
        rows.launch("gemm", 110, 400, 500);
        rows.launch("relu", 210, 500, 700);
        const Workspace workspace = rows.made();
        const Report& report = workspace.report(ReportKey(0u));
        const auto sliceNamed = [&](std::string_view name) {
            for (uint32_t row = 0; row < report.slices.size(); ++row) {
                if (report.nameOf(SliceId(row)) == name) return SliceRef{ReportKey(0u), SliceId(row)};
            }
            return SliceRef();
        };
        ViewState view;
        DetailsPanel panel(view);
        panel.show();
        panel.setScene(makeScene(workspace, alignReports(workspace, {}), test::workers()));
        view.setSlice(sliceNamed("step"));
        const QTreeWidgetItem* const section = itemNamed(*panel.tree(), "Projection on the GPU");
        QVERIFY(section != nullptr);
        QCOMPARE(section->childCount(), 1);
        QCOMPARE(section->child(0)->text(0), QString("GPU 0"));
        QVERIFY2(
            section->child(0)->text(1).startsWith("300 ns, starts 400 ns after the range, work of 2 call"),
            qPrintable(section->child(0)->text(1)));
        view.setSlice(sliceNamed("idle"));
        QVERIFY2(itemNamed(*panel.tree(), "Projection on the GPU") == nullptr, "it launched nothing");
    }

    void clearsWithItsWorkspace()
    {
        const Workspace workspace = test::madeWorkspace(1, 1);
        ViewState view;
        DetailsPanel panel(view);
        panel.show();
        panel.setScene(makeScene(workspace, alignReports(workspace, {}), test::workers()));
        view.setSlice({ReportKey(0u), SliceId(0u)});
        QVERIFY(panel.tree()->topLevelItemCount() > 0);
        panel.setScene(std::make_shared<const Scene>());
        QCOMPARE(panel.tree()->topLevelItemCount(), 0);
        view.setSlice({ReportKey(7u), SliceId(0u)}); // of a closed workspace
        QCOMPARE(panel.tree()->topLevelItemCount(), 0);
    }
};

LOCKSTEP_TEST(DetailsPanelTest, "details_panel_test")
#include "details_panel_test.moc"
