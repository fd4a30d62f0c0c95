// SPDX-License-Identifier: Apache-2.0
#include "ui/models/report_tree_model.h"

#include <algorithm>
#include <limits>
#include <map>

#include "core/base/text.h"
#include "core/lanes/lane_label.h"

namespace lockstep {

struct ReportTreeModel::Node {
    QString label;
    QString roleName;
    int entry = -1; // index in m_entries; -1 for a group
    Node* parent = nullptr;
    int row = 0;
    std::vector<std::unique_ptr<Node>> children;
};

namespace {

struct Level {
    QString label;
    QString roleName;
};

QString runName(const ReportEntry& entry)
{
    const Sourced<std::string>& run = identityOf(entry).run;
    if (run.isKnown()) return QString::fromStdString(*run.value);
    return QString::fromStdString(entry.path.parent_path().filename().string());
}

// Returns the groups above a report, outermost first.
std::vector<Level> levelsOf(const ReportEntry& entry)
{
    const Identity& identity = identityOf(entry);
    std::vector<Level> levels{{runName(entry), {}}};
    if (identity.step.isKnown())
        levels.push_back({ReportTreeModel::tr("step %1").arg(*identity.step.value), {}});
    if (identity.host.isKnown()) levels.push_back({QString::fromStdString(*identity.host.value), {}});
    if (identity.role.isKnown()) {
        const QString role = QString::fromStdString(*identity.role.value);
        levels.push_back({role, role});
    }
    return levels;
}

QString leafLabel(const ReportEntry& entry)
{
    const Sourced<int>& rank = identityOf(entry).rank;
    if (rank.isKnown()) return ReportTreeModel::tr("rank %1").arg(*rank.value);
    return QString::fromStdString(entry.path.filename().string());
}

// SortKey holds the sort key of an entry. It is computed once, because sorting compares it many times.
struct SortKey {
    std::vector<std::string> labels; // labels of the entry's groups
    std::string leaf;
    size_t entry = 0;
};

bool sortsBefore(const SortKey& a, const SortKey& b)
{
    for (size_t i = 0; i < std::min(a.labels.size(), b.labels.size()); ++i) {
        if (a.labels[i] != b.labels[i]) return naturalLess(a.labels[i], b.labels[i]);
    }
    if (a.labels.size() != b.labels.size()) return a.labels.size() < b.labels.size();
    return naturalLess(a.leaf, b.leaf);
}

std::vector<ReportEntry> sortedOpen(const std::vector<ReportEntry>& entries)
{
    std::vector<SortKey> keys;
    for (size_t i = 0; i < entries.size(); ++i) {
        if (entries[i].state != ReportState::open) continue;
        SortKey key{{}, leafLabel(entries[i]).toStdString(), i};
        for (const Level& level : levelsOf(entries[i]))
            key.labels.push_back(level.label.toStdString());
        keys.push_back(std::move(key));
    }
    std::ranges::stable_sort(keys, sortsBefore);
    std::vector<ReportEntry> open;
    for (const SortKey& key : keys)
        open.push_back(entries[key.entry]);
    return open;
}

QString tooltipOf(const ReportEntry& entry)
{
    const Report& report = *entry.report;
    QStringList lines{QString::fromStdString(entry.path.string())};
    lines << QString::fromStdString(report.provenance.producer + ", " +
                                    byteText(static_cast<int64_t>(report.provenance.size_bytes)));
    lines << ReportTreeModel::tr("%1 slices, %2 links, %3")
                 .arg(groupedText(static_cast<int64_t>(report.slices.size())).c_str(),
                      groupedText(static_cast<int64_t>(report.links.size())).c_str(),
                      durationText(reportDuration(report)).c_str());
    if (report.mappedBytes() > 0)
        lines << ReportTreeModel::tr("%1 of the data is on disk and read as needed")
                     .arg(byteText(static_cast<int64_t>(report.mappedBytes())).c_str());
    if (report.notes.hasDataLoss())
        lines << ReportTreeModel::tr("This report is incomplete. See Import notes.");
    if (entry.clock) lines << ReportTreeModel::tr("Clock: %1").arg(entry.clock->reason.c_str());
    return lines.join('\n');
}

} // namespace

ReportTreeModel::ReportTreeModel(QObject* parent)
    : QAbstractItemModel(parent), m_root(std::make_unique<Node>())
{
}

ReportTreeModel::~ReportTreeModel() = default;

void ReportTreeModel::setEntries(const std::vector<ReportEntry>& entries)
{
    std::vector<ReportEntry> open = sortedOpen(entries);
    const auto isSame = [](const ReportEntry& a, const ReportEntry& b) {
        const bool isIdentitySame =
            a.identity == b.identity || (a.identity && b.identity && a.identity->whole == b.identity->whole);
        return a.key == b.key && isIdentitySame;
    };
    if (std::ranges::equal(open, m_entries, isSame)) {
        const bool looksSame =
            std::ranges::equal(open, m_entries, {}, &ReportEntry::isShown, &ReportEntry::isShown);
        m_entries = std::move(open); // tooltips are computed on demand
        if (looksSame) return;
        return emitAllChanged({});
    }
    beginResetModel();
    m_entries = std::move(open);
    build();
    endResetModel();
}

void ReportTreeModel::emitAllChanged(const QModelIndex& parent)
{
    const int rows = rowCount(parent);
    if (rows == 0) return;
    emit dataChanged(index(0, 0, parent), index(rows - 1, 1, parent));
    for (int row = 0; row < rows; ++row)
        emitAllChanged(index(row, 0, parent));
}

void ReportTreeModel::setHits(std::shared_ptr<const EventHits> hits)
{
    if (hits == m_hits) return;
    m_hits = std::move(hits);
    emitAllChanged({});
}

std::optional<uint64_t> ReportTreeModel::hitsUnder(const Node& node) const
{
    if (m_hits == nullptr) return std::nullopt;
    std::optional<uint64_t> count;
    if (node.entry >= 0) {
        const ReportKey key = m_entries[static_cast<size_t>(node.entry)].key;
        if (m_hits->isOf(key)) count = m_hits->bitsOf(key).count();
    }
    for (const auto& child : node.children) {
        if (const auto below = hitsUnder(*child)) count = count.value_or(0) + *below;
    }
    return count;
}

void ReportTreeModel::setHiddenLanes(std::vector<ReportKey> reports)
{
    if (reports == m_hiddenLanes) return;
    m_hiddenLanes = std::move(reports);
    emitAllChanged({});
}

// Reports that are not shown have no lanes; they neither make a group hidden nor visible.
bool ReportTreeModel::areLanesHidden(const Node& node) const
{
    size_t shown = 0, hidden = 0;
    const std::function<void(const Node&)> count = [&](const Node& at) {
        if (at.entry >= 0) {
            const ReportEntry& entry = m_entries[static_cast<size_t>(at.entry)];
            shown += entry.isShown;
            hidden += entry.isShown && std::ranges::binary_search(m_hiddenLanes, entry.key);
        }
        for (const auto& child : at.children)
            count(*child);
    };
    if (m_hiddenLanes.empty()) return false;
    count(node);
    return shown > 0 && hidden == shown;
}

QVariant ReportTreeModel::tooltip(const Node& node) const
{
    QStringList lines;
    if (node.entry >= 0) lines << tooltipOf(m_entries[static_cast<size_t>(node.entry)]);
    if (areLanesHidden(node))
        lines << tr("All lanes are hidden in the timeline. Tables and analyses still count them.");
    return lines.isEmpty() ? QVariant() : lines.join('\n');
}

void ReportTreeModel::build()
{
    m_root = std::make_unique<Node>();
    const auto append = [](Node* parent, QString label, QString roleName, int entry) {
        auto node = std::make_unique<Node>();
        node->label = std::move(label);
        node->roleName = std::move(roleName);
        node->entry = entry;
        node->parent = parent;
        node->row = static_cast<int>(parent->children.size());
        parent->children.push_back(std::move(node));
        return parent->children.back().get();
    };
    for (size_t i = 0; i < m_entries.size(); ++i) {
        Node* at = m_root.get();
        for (const Level& level : levelsOf(m_entries[i])) {
            Node* const last = at->children.empty() ? nullptr : at->children.back().get();
            const bool isSame = last != nullptr && last->entry < 0 && last->label == level.label;
            at = isSame ? last : append(at, level.label, level.roleName, -1);
        }
        append(at, leafLabel(m_entries[i]), at->roleName, static_cast<int>(i));
    }
    disambiguateLeaves(*m_root);
}

// Makes equal names within a group distinct, e.g. captures of one rank whose step is unknown. Reports from
// different tools may have the same name, because column 1 shows the tool.
void ReportTreeModel::disambiguateLeaves(Node& group)
{
    std::map<std::string, std::vector<Node*>> byTool;
    for (const auto& child : group.children) {
        if (child->entry < 0)
            disambiguateLeaves(*child);
        else
            byTool[toolLabel(*m_entries[static_cast<size_t>(child->entry)].report)].push_back(child.get());
    }
    for (const auto& [tool, leaves] : byTool) {
        std::vector<std::string> labels;
        std::vector<std::vector<std::string>> marks;
        for (const Node* const leaf : leaves) {
            const ReportEntry& entry = m_entries[static_cast<size_t>(leaf->entry)];
            labels.push_back(leaf->label.toStdString());
            marks.push_back(reportMarks(*entry.report, identityOf(entry)));
        }
        disambiguate(labels, marks);
        for (size_t i = 0; i < leaves.size(); ++i)
            leaves[i]->label = QString::fromStdString(labels[i]);
    }
}

std::vector<ReportKey> ReportTreeModel::keysUnder(const QModelIndex& index) const
{
    std::vector<ReportKey> keys;
    const std::function<void(const Node&)> gather = [&](const Node& node) {
        if (node.entry >= 0) keys.push_back(m_entries[static_cast<size_t>(node.entry)].key);
        for (const auto& child : node.children)
            gather(*child);
    };
    gather(*nodeAt(index));
    return keys;
}

ReportTreeModel::Node* ReportTreeModel::nodeAt(const QModelIndex& index) const
{
    return index.isValid() ? static_cast<Node*>(index.internalPointer()) : m_root.get();
}

QModelIndex ReportTreeModel::index(int row, int column, const QModelIndex& parent) const
{
    if (parent.column() > 0 || column < 0 || column > 1) return {};
    const Node* const node = nodeAt(parent);
    if (row < 0 || row >= static_cast<int>(node->children.size())) return {};
    return createIndex(row, column, node->children[static_cast<size_t>(row)].get());
}

QModelIndex ReportTreeModel::parent(const QModelIndex& index) const
{
    if (!index.isValid()) return {};
    Node* const above = nodeAt(index)->parent;
    return above == m_root.get() ? QModelIndex() : createIndex(above->row, 0, above);
}

int ReportTreeModel::rowCount(const QModelIndex& parent) const
{
    return parent.column() > 0 ? 0 : static_cast<int>(nodeAt(parent)->children.size());
}

int ReportTreeModel::columnCount(const QModelIndex&) const
{
    return 2;
}

QVariant ReportTreeModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) return {};
    const Node& node = *nodeAt(index);
    if (role == roleNameRole) return node.roleName;
    if (role == Qt::TextAlignmentRole && index.column() == 1) return int(Qt::AlignRight | Qt::AlignVCenter);
    if (index.column() == 1 && (role == Qt::DisplayRole || role == isHitCountRole)) {
        const std::optional<uint64_t> hits = hitsUnder(node);
        if (role == isHitCountRole) return hits.has_value();
        if (hits) return QString::fromStdString(groupedText(static_cast<int64_t>(*hits)));
    }
    if (role == areLanesHiddenRole) return areLanesHidden(node);
    if (index.column() == 1 && role == Qt::DisplayRole && areLanesHidden(node)) return tr("hidden");
    if (role == Qt::ToolTipRole) return tooltip(node);
    if (node.entry < 0) return groupData(node, index.column(), role);
    if (role == Qt::DisplayRole && index.column() == 0) return node.label;
    return reportData(m_entries[static_cast<size_t>(node.entry)], index.column(), role);
}

QVariant ReportTreeModel::groupData(const Node& node, int column, int role) const
{
    if (role == keyRole) return qlonglong(-1);
    if (role == Qt::DisplayRole && column == 0) return node.label;
    size_t all = 0, shown = 0;
    const std::function<void(const Node&)> count = [&](const Node& at) {
        if (at.entry >= 0) {
            ++all;
            shown += m_entries[static_cast<size_t>(at.entry)].isShown;
        }
        for (const auto& child : at.children)
            count(*child);
    };
    count(node);
    if (role == Qt::CheckStateRole && column == 0) {
        return static_cast<int>(shown == 0     ? Qt::Unchecked
                                : shown == all ? Qt::Checked
                                               : Qt::PartiallyChecked);
    }
    if (role == Qt::DisplayRole)
        return shown == all ? QString::number(all) : QString("%1 / %2").arg(shown).arg(all);
    return {};
}

QVariant ReportTreeModel::reportData(const ReportEntry& entry, int column, int role) const
{
    if (role == keyRole) return qlonglong(entry.key.value);
    if (role == Qt::CheckStateRole && column == 0) {
        return static_cast<int>(entry.isShown ? Qt::Checked : Qt::Unchecked);
    }
    if (role == Qt::DisplayRole && column == 1) {
        // A snapshot without a history has no duration.
        const Duration duration = reportDuration(*entry.report);
        return QString::fromStdString(toolLabel(*entry.report)) + "  " +
               (duration.ns > 0 ? QString::fromStdString(durationText(duration, 1)) : tr("no times"));
    }
    return {};
}

bool ReportTreeModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::CheckStateRole || index.column() != 0) return false;
    emit showRequested(keysUnder(index), value.toInt() != Qt::Unchecked);
    return true;
}

Qt::ItemFlags ReportTreeModel::flags(const QModelIndex& index) const
{
    if (!index.isValid()) return Qt::NoItemFlags;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    if (index.column() == 0) flags |= Qt::ItemIsUserCheckable;
    return flags;
}

} // namespace lockstep
