// SPDX-License-Identifier: Apache-2.0
#include "ui/run/run_list.h"

#include <QHeaderView>

#include "core/base/text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

QString hostsText(const RunRecord& record)
{
    QStringList names;
    for (const HostRecord& host : record.hosts)
        names << (host.host.empty() ? RunList::tr("this machine") : QString::fromStdString(host.host));
    if (names.size() <= 3) return names.join(", ");
    return RunList::tr("%1, %2 and %3 more").arg(names[0], names[1]).arg(names.size() - 2);
}

} // namespace

RunList::RunList(QWidget* parent) : QTreeWidget(parent)
{
    setAccessibleName(tr("Runs started from this machine"));
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setAllColumnsShowFocus(true);
    setProperty("sheet", true);
    setHeaderLabels({tr("Session"), tr("Started (UTC)"), tr("State"), tr("Hosts"), tr("Run")});
    header()->setStretchLastSection(true);
    connect(this, &QTreeWidget::itemActivated, this,
            [this](const QTreeWidgetItem* item) { emit attachRequested(item->text(4)); });
}

void RunList::setRuns(const std::vector<KnownRun>& runs)
{
    const QString before = chosen();
    clear();
    for (const KnownRun& run : runs) {
        const QString started = QString::fromStdString(utcDateText(run.record.started_ns)) + " " +
                                QString::fromStdString(utcTimeText(run.record.started_ns)).left(8);
        auto* const item = new QTreeWidgetItem(
            {QString::fromStdString(run.record.session), started, run.isOver ? tr("ended") : tr("running"),
             hostsText(run.record), QString::fromStdString(run.record.id)});
        item->setSizeHint(0, QSize(0, scaledPixels(26)));
        addTopLevelItem(item);
        if (item->text(4) == before) setCurrentItem(item);
    }
    if (currentItem() == nullptr && topLevelItemCount() > 0) setCurrentItem(topLevelItem(0));
    for (int column = 0; column < 4; ++column) {
        resizeColumnToContents(column);
        setColumnWidth(column, columnWidth(column) + scaledPixels(14));
    }
}

QString RunList::chosen() const
{
    return currentItem() == nullptr ? QString() : currentItem()->text(4);
}

} // namespace lockstep
