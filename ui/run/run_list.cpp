// SPDX-License-Identifier: Apache-2.0
#include "ui/run/run_list.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>

#include "core/base/text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr int kSizeColumn = 3, kFolderColumn = 5;
constexpr int kIdRole = Qt::UserRole; // QString, column 0: the run's ID

QString hostsText(const RunRecord& record)
{
    QStringList names;
    for (const HostRecord& host : record.hosts)
        names << (host.host.empty() ? RunList::tr("this machine") : QString::fromStdString(host.host));
    if (names.size() <= 3) return names.join(", ");
    return RunList::tr("%1, %2 and %3 more").arg(names[0], names[1]).arg(names.size() - 2);
}

QString idOf(const QTreeWidgetItem& item)
{
    return item.data(0, kIdRole).toString();
}

} // namespace

QString runStateText(const KnownRun& run)
{
    switch (run.end) {
    case StoredEnd::succeeded:
        return RunList::tr("succeeded");
    case StoredEnd::stopped:
        return RunList::tr("stopped");
    case StoredEnd::failed:
        return RunList::tr("failed");
    default:
        if (run.isOver) return RunList::tr("ended");
        return run.isStale ? RunList::tr("no end reported") : RunList::tr("running");
    }
}

QString removalObstacle(const KnownRun* run)
{
    if (run == nullptr) return RunList::tr("No run selected.");
    if (run->isOver || run->isStale) return {};
    return RunList::tr(
        "This run has not reported its end on all hosts. Attach to it and stop it first, or use "
        "lockstep --remove-runs --force.");
}

RunList::RunList(QWidget* parent) : QTreeWidget(parent)
{
    setAccessibleName(tr("Runs started from this machine"));
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setAllColumnsShowFocus(true);
    setTextElideMode(Qt::ElideMiddle);
    setProperty("sheet", true);
    setHeaderLabels(
        {tr("Session"), tr("Started (UTC)"), tr("State"), tr("Size on disk"), tr("Hosts"), tr("Folder")});
    headerItem()->setTextAlignment(kSizeColumn, Qt::AlignRight | Qt::AlignVCenter);
    header()->setStretchLastSection(true);
    connect(this, &QTreeWidget::itemActivated, this,
            [this](const QTreeWidgetItem* item) { emit attachRequested(idOf(*item)); });
    connect(this, &QTreeWidget::currentItemChanged, this, &RunList::chosenChanged);
}

void RunList::setRuns(const std::vector<KnownRun>& runs)
{
    const QString before = chosen();
    blockSignals(true);
    clear();
    m_runs = runs;
    QTreeWidgetItem* running = nullptr;
    for (const KnownRun& run : runs) {
        const QString started = QString::fromStdString(utcDateText(run.record.started_ns)) + " " +
                                QString::fromStdString(utcTimeText(run.record.started_ns)).left(8);
        const QString folder = QString::fromStdString(runFolderOf(run.record).string());
        const QString size = run.size_bytes > 0
                                 ? QString::fromStdString(byteText(static_cast<int64_t>(run.size_bytes)))
                                 : QString();
        auto* const item = new QTreeWidgetItem({QString::fromStdString(run.record.session), started,
                                                runStateText(run), size, hostsText(run.record), folder});
        item->setData(0, kIdRole, QString::fromStdString(run.record.id));
        item->setSizeHint(0, QSize(0, scaledPixels(26)));
        item->setTextAlignment(kSizeColumn, Qt::AlignRight | Qt::AlignVCenter);
        item->setToolTip(kFolderColumn, folder);
        addTopLevelItem(item);
        if (idOf(*item) == before) setCurrentItem(item);
        if (running == nullptr && !run.isOver && !run.isStale) running = item;
    }
    // The run to attach to is most likely the one that is running.
    if (currentItem() == nullptr && topLevelItemCount() > 0)
        setCurrentItem(running != nullptr ? running : topLevelItem(0));
    for (int column = 0; column < kFolderColumn; ++column) {
        resizeColumnToContents(column);
        setColumnWidth(column, columnWidth(column) + scaledPixels(14));
    }
    blockSignals(false);
    emit chosenChanged();
}

QString RunList::chosen() const
{
    return currentItem() == nullptr ? QString() : idOf(*currentItem());
}

const KnownRun* RunList::chosenRun() const
{
    const int row = currentItem() == nullptr ? -1 : indexOfTopLevelItem(currentItem());
    return row < 0 ? nullptr : &m_runs[static_cast<size_t>(row)];
}

void RunList::requestRemoval()
{
    const KnownRun* const run = chosenRun();
    if (removalObstacle(run).isEmpty()) emit removeRequested(*run);
}

void RunList::contextMenuEvent(QContextMenuEvent* event)
{
    if (chosenRun() == nullptr) return;
    auto* const menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setToolTipsVisible(true);
    menu->addAction(tr("Attach"), this, [this] { emit attachRequested(chosen()); });
    QAction* const removal = menu->addAction(tr("Remove\u2026"), this, &RunList::requestRemoval);
    removal->setShortcut(QKeySequence::Delete);
    const QString obstacle = removalObstacle(chosenRun());
    removal->setEnabled(obstacle.isEmpty());
    removal->setToolTip(obstacle);
    menu->popup(event->globalPos());
}

void RunList::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Delete)) return requestRemoval();
    QTreeWidget::keyPressEvent(event);
}

RemoveRunButton::RemoveRunButton(RunList& list, QWidget* parent)
    : QPushButton(tr("Remove\u2026"), parent), m_list(list)
{
    setObjectName("removeRun");
    setAutoDefault(false);
    connect(this, &QPushButton::clicked, &list, &RunList::requestRemoval);
    connect(&list, &RunList::chosenChanged, this, &RemoveRunButton::refresh);
    refresh();
}

void RemoveRunButton::refresh()
{
    const QString obstacle = removalObstacle(m_list.chosenRun());
    setEnabled(obstacle.isEmpty());
    setToolTip(obstacle.isEmpty()
                   ? tr("Delete the folder of this run on this machine (asks for confirmation)")
                   : obstacle);
}

} // namespace lockstep
