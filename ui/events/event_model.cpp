// SPDX-License-Identifier: Apache-2.0
#include "ui/events/event_model.h"

#include <algorithm>

#include "ui/models/table_roles.h"

namespace lockstep {

namespace {

constexpr int kPage = 256;
constexpr size_t kMaxPages = 8;
constexpr size_t kMaxFacts = 600; // number of cached rows; more than fit on a tall screen
constexpr size_t kMaxSkews = 4'096;

} // namespace

EventModel::EventModel(QObject* parent)
    : QAbstractTableModel(parent), m_job([this](const Result<ArrivalSkews>& outcome) { applySkews(outcome); })
{
    m_soon.setSingleShot(true);
    m_soon.setInterval(120);
    connect(&m_soon, &QTimer::timeout, this, &EventModel::computeSkews);
}

void EventModel::setList(std::shared_ptr<const EventList> list)
{
    beginResetModel();
    m_job.cancel();
    m_soon.stop();
    // Slice keys stay valid as long as the same reports are open, but cached data is outdated after a clock
    // change.
    if (m_list == nullptr || list == nullptr || m_list->scene() != list->scene()) m_skews.clear();
    m_list = std::move(list);
    m_pages.clear();
    m_facts.clear();
    m_pending.clear();
    endResetModel();
}

int EventModel::rowCount(const QModelIndex& parent) const
{
    if (parent.isValid() || m_list == nullptr) return 0;
    return static_cast<int>(std::min<uint64_t>(m_list->size(), std::numeric_limits<int>::max()));
}

int EventModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(kEventColumns);
}

SliceRef EventModel::sliceAt(int row) const
{
    const int page = row / kPage;
    auto found = m_pages.find(page);
    if (found == m_pages.end()) {
        if (m_pages.size() >= kMaxPages) m_pages.clear();
        const auto first = static_cast<uint64_t>(page) * kPage;
        std::vector<SliceRef> rows(static_cast<size_t>(std::min<uint64_t>(kPage, m_list->size() - first)));
        m_list->read(first, rows);
        found = m_pages.emplace(page, std::move(rows)).first;
    }
    return found->second[static_cast<size_t>(row % kPage)];
}

const EventFacts& EventModel::factsAt(int row) const
{
    auto found = m_facts.find(row);
    if (found == m_facts.end()) {
        if (m_facts.size() >= kMaxFacts) m_facts.clear();
        found = m_facts.emplace(row, eventFacts(*m_list->scene(), sliceAt(row))).first;
    }
    return found->second;
}

const ArrivalSkew* EventModel::skewAt(int row) const
{
    if (m_skews.empty()) return nullptr;
    const auto found = m_skews.find(sliceAt(row));
    return found != m_skews.end() && found->second ? &*found->second : nullptr;
}

QVariant EventModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || m_list == nullptr || index.row() >= rowCount()) return {};
    const auto column = static_cast<EventColumn>(index.column());
    const auto row = static_cast<uint64_t>(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return eventCellText(column, row, factsAt(index.row()), skewAt(index.row()));
    case functionRole:
        return column == EventColumn::name && factsAt(index.row()).kind == RowKind::kernel;
    case Qt::ToolTipRole: {
        const EventFacts& facts = factsAt(index.row());
        if (column != EventColumn::name) return tr(eventColumn(column).tooltip);
        QString text =
            QString::fromUtf8(facts.name.data(), static_cast<qsizetype>(facts.name.size())).left(2000);
        if (facts.isOpenEnd)
            text += '\n' + tr("End not recorded: the capture or thread ended first, or records were lost.");
        return text;
    }
    case copyRole:
        return eventCellCopy(column, row, factsAt(index.row()), skewAt(index.row()));
    case Qt::TextAlignmentRole:
        return int((eventColumn(column).isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case numberRole: // also for columns drawn as numbers only
        return eventColumn(column).isNumber ? QVariant(0.0) : QVariant();
    default:
        return {};
    }
}

QVariant EventModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const EventColumnSpec& spec = eventColumn(static_cast<EventColumn>(section));
    if (role == Qt::TextAlignmentRole)
        return int((spec.isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole) return tr(spec.tooltip);
    if (role != Qt::DisplayRole) return {};
    return spec.unit[0] == '\0' ? tr(spec.title) : tr(spec.title) + " (" + QString::fromUtf8(spec.unit) + ")";
}

void EventModel::setVisible(int first, int end, const std::vector<EventColumn>& columns)
{
    m_pending.clear();
    if (m_list == nullptr || !needsSkew(columns)) return;
    for (int row = first; row < std::min(end, rowCount()); ++row) {
        if (!m_skews.contains(sliceAt(row))) m_pending.push_back(sliceAt(row));
    }
    if (!m_pending.empty()) m_soon.start();
}

void EventModel::computeSkews()
{
    if (m_list == nullptr || m_pending.empty()) return;
    m_job.start([scene = m_list->scene(), rows = m_pending](const Progress& progress) {
        return arrivalSkews(*scene, rows, progress);
    });
}

void EventModel::applySkews(const Result<ArrivalSkews>& outcome)
{
    if (!outcome) return;
    if (m_skews.size() > kMaxSkews) m_skews.clear();
    m_skews.insert(outcome->begin(), outcome->end());
    if (const int rows = rowCount(); rows > 0)
        emit dataChanged(index(0, 0), index(rows - 1, columnCount() - 1));
}

} // namespace lockstep
