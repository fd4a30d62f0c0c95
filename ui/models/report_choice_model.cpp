// SPDX-License-Identifier: Apache-2.0
#include "ui/models/report_choice_model.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/base/path_labels.h"
#include "core/base/text.h"
#include "core/lanes/lane_label.h"

namespace lockstep {

struct ReportChoiceModel::Node {
    QString label;
    int choice = -1; // index in m_choices; -1 for a group
    Node* parent = nullptr;
    int row = 0;
    std::vector<std::unique_ptr<Node>> children;
    size_t ticked = 0;
    ChoiceTotals all; // sums over the files below
};

namespace {

constexpr int kLevels = 4;
constexpr int kStepLevel = 3;
constexpr std::array<const char*, kLevels> kLevelNames{
    QT_TRANSLATE_NOOP("lockstep::ReportChoiceModel", "run"),
    QT_TRANSLATE_NOOP("lockstep::ReportChoiceModel", "role"),
    QT_TRANSLATE_NOOP("lockstep::ReportChoiceModel", "rank"),
    QT_TRANSLATE_NOOP("lockstep::ReportChoiceModel", "step")};

std::string numberText(const Sourced<int>& part)
{
    return part.isKnown() ? std::to_string(*part.value) : std::string();
}

// Returns the value of a file at a level, or an empty string if it is unknown.
std::string valueAt(const ReportChoice& choice, int level)
{
    const Identity& identity = choice.file.identity;
    switch (level) {
    case 0:
        return identity.run.value.value_or("");
    case 1:
        return identity.role.value.value_or("");
    case 2:
        return numberText(identity.rank);
    default:
        return numberText(identity.step);
    }
}

int numberOrLast(const Sourced<int>& part)
{
    return part.value.value_or(std::numeric_limits<int>::max());
}

// Compares in natural order; unknown values come last.
int compared(const Sourced<std::string>& a, const Sourced<std::string>& b)
{
    if (a.isKnown() != b.isKnown()) return a.isKnown() ? -1 : 1;
    if (a.value == b.value) return 0;
    return naturalLess(*a.value, *b.value) ? -1 : 1;
}

bool comesBefore(const ReportChoice& a, const ReportChoice& b)
{
    const Identity& left = a.file.identity;
    const Identity& right = b.file.identity;
    if (const int run = compared(left.run, right.run); run != 0) return run < 0;
    if (const int role = compared(left.role, right.role); role != 0) return role < 0;
    const std::pair numbers(numberOrLast(left.rank), numberOrLast(left.step));
    const std::pair others(numberOrLast(right.rank), numberOrLast(right.step));
    return numbers != others ? numbers < others : naturalLess(a.path.native(), b.path.native());
}

bool isKeyValue(const ReportChoice& choice, const std::string& key, const std::string& value)
{
    for (int level = 0; level < kLevels; ++level) {
        if (key == kLevelNames[static_cast<size_t>(level)])
            return lowerAscii(valueAt(choice, level)) == value;
    }
    if (key == "tool") return lowerAscii(choice.tool.substr(0, choice.tool.find(' '))) == value;
    if (key == "host") return lowerAscii(choice.file.identity.host.value.value_or("")) == value;
    return choice.searchText.find(key + ":" + value) != std::string::npos;
}

bool fitsWord(const ReportChoice& choice, const std::string& word)
{
    const size_t colon = word.find(':');
    if (colon == word.npos || colon == 0) return choice.searchText.find(word) != std::string::npos;
    return isKeyValue(choice, word.substr(0, colon), word.substr(colon + 1));
}

template<class T>
void addPart(QStringList& lines, const QString& name, const Sourced<T>& part)
{
    if (!part.isKnown()) return;
    QString value;
    if constexpr (std::is_same_v<T, std::string>) {
        value = QString::fromStdString(*part.value);
    } else {
        value = QString::number(*part.value);
    }
    lines << QString("%1 %2 (%3)").arg(name, value, QString::fromStdString(part.source));
}

QString tooltipOf(const ReportChoice& choice)
{
    const Identity& identity = choice.file.identity;
    QStringList lines{QString::fromStdString(choice.path.string())};
    addPart(lines, ReportChoiceModel::tr("run"), identity.run);
    addPart(lines, ReportChoiceModel::tr("host"), identity.host);
    addPart(lines, ReportChoiceModel::tr("role"), identity.role);
    addPart(lines, ReportChoiceModel::tr("rank"), identity.rank);
    addPart(lines, ReportChoiceModel::tr("local rank"), identity.localRank);
    addPart(lines, ReportChoiceModel::tr("step"), identity.step);
    addPart(lines, ReportChoiceModel::tr("stage"), identity.stage);
    addPart(lines, ReportChoiceModel::tr("capture"), identity.captureIndex);
    if (lines.size() == 1)
        lines << ReportChoiceModel::tr(
            "The file name contains no role, rank or step. They may be known once the file is open.");
    return lines.join('\n');
}

} // namespace

SortedChoices sortedChoices(const FoundReports& found)
{
    SortedChoices sorted;
    sorted.choices.reserve(found.reports.size());
    const std::vector<std::string> labels = pathLabels(found.reports);
    for (size_t i = 0; i < found.reports.size(); ++i) {
        const FoundFile& file = found.files[i];
        const Sourced<std::string>& tool = file.identity.tool;
        ReportChoice choice{found.reports[i], file, {}, {}, labels[i], false};
        choice.tool = tool.isKnown() ? *tool.value : file.tool;
        choice.searchText = lowerAscii(found.reports[i].string());
        sorted.choices.push_back(std::move(choice));
        sorted.order.push_back(i);
    }
    std::ranges::sort(sorted.order, [&choices = sorted.choices](size_t a, size_t b) {
        return comesBefore(choices[a], choices[b]);
    });
    return sorted;
}

ReportChoiceModel::ReportChoiceModel(QObject* parent)
    : QAbstractItemModel(parent), m_root(std::make_unique<Node>())
{
}

ReportChoiceModel::~ReportChoiceModel() = default;

void ReportChoiceModel::setChoices(SortedChoices sorted)
{
    beginResetModel();
    m_choices = std::move(sorted.choices);
    m_sorted = std::move(sorted.order);
    build();
    endResetModel();
    emit ticksChanged();
}

void ReportChoiceModel::setFilter(const QString& text)
{
    if (text == m_filter) return;
    beginResetModel();
    m_filter = text;
    build();
    endResetModel();
    emit ticksChanged();
}

void ReportChoiceModel::build()
{
    std::vector<std::string> words;
    for (const QString& word : m_filter.toLower().split(' ', Qt::SkipEmptyParts))
        words.push_back(word.toStdString());
    m_shown.clear();
    std::ranges::copy_if(m_sorted, std::back_inserter(m_shown), [&](size_t i) {
        return std::ranges::all_of(words, [&](const auto& word) { return fitsWord(m_choices[i], word); });
    });
    m_root = std::make_unique<Node>();
    addChildren(*m_root, 0, m_shown.size(), 0);
    recount(*m_root);
    uint64_t size_bytes = 0, memory_bytes = 0;
    for (const auto& top : m_root->children) {
        size_bytes = std::max(size_bytes, top->all.size_bytes);
        memory_bytes = std::max(memory_bytes, top->all.memory_bytes);
    }
    m_sizeUnit = byteColumnUnit(static_cast<double>(size_bytes));
    m_memoryUnit = byteColumnUnit(static_cast<double>(memory_bytes));
    m_memoryUnit.decimals = std::min(m_memoryUnit.decimals, 1); // it is an estimate
}

// Adds the nodes of the files [begin, end) of m_shown, which have equal values at all levels above.
void ReportChoiceModel::addChildren(Node& parent, size_t begin, size_t end, int level)
{
    const auto append = [&](QString label, int choice) {
        auto node = std::make_unique<Node>();
        node->label = std::move(label);
        node->choice = choice;
        node->parent = &parent;
        node->row = static_cast<int>(parent.children.size());
        parent.children.push_back(std::move(node));
        return parent.children.back().get();
    };
    const auto fileLabel = [&](size_t i) { return QString::fromStdString(m_choices[m_shown[i]].label); };
    const auto valueOf = [&](size_t i) { return valueAt(m_choices[m_shown[i]], level); };
    // Unknown values are sorted last.
    const bool anyKnown = level < kLevels && begin < end && !valueOf(begin).empty();
    if (level < kLevels && !anyKnown) return addChildren(parent, begin, end, level + 1);
    for (size_t from = begin; from < end;) {
        size_t to = from + 1;
        const std::string value = level < kLevels ? valueOf(from) : std::string();
        while (level < kLevels && to < end && valueOf(to) == value)
            ++to;
        const QString name = level < kLevels ? tr(kLevelNames[static_cast<size_t>(level)]) : QString();
        QString label = QString::fromStdString(value);
        if (level >= 2) label = name + " " + label;
        if (value.empty()) label = tr("unknown %1").arg(name);
        const auto choice = static_cast<int>(m_shown[from]);
        if (level == kLevels) {
            append(fileLabel(from), choice);
        } else if (level == kStepLevel && (to - from == 1 || value.empty())) {
            for (size_t i = from; i < to; ++i) { // a group for one file would only add a line
                const QString each = fileLabel(i);
                append(value.empty() ? each : label + " \u00B7 " + each, static_cast<int>(m_shown[i]));
            }
        } else {
            addChildren(*append(label, -1), from, to, level + 1);
        }
        from = to;
    }
}

void ReportChoiceModel::recount(Node& node)
{
    node.ticked = 0;
    node.all = {};
    if (node.choice >= 0) {
        const ReportChoice& choice = m_choices[static_cast<size_t>(node.choice)];
        node.ticked = choice.isTicked;
        node.all = {1, choice.file.size_bytes, choice.file.memory_bytes};
    }
    for (const auto& child : node.children) {
        recount(*child);
        node.ticked += child->ticked;
        node.all.files += child->all.files;
        node.all.size_bytes += child->all.size_bytes;
        node.all.memory_bytes += child->all.memory_bytes;
    }
}

void ReportChoiceModel::notifyTicks()
{
    recount(*m_root);
    if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columnEnd - 1));
    emit ticksChanged();
}

void ReportChoiceModel::tickOnly(const std::function<bool(const ReportChoice&)>& fits)
{
    for (ReportChoice& choice : m_choices)
        choice.isTicked = false;
    for (const size_t i : m_shown)
        m_choices[i].isTicked = fits(m_choices[i]);
    notifyTicks();
}

std::vector<size_t> ReportChoiceModel::ticked() const
{
    std::vector<size_t> out;
    std::ranges::copy_if(m_sorted, std::back_inserter(out),
                         [this](size_t i) { return m_choices[i].isTicked; });
    return out;
}

ChoiceTotals ReportChoiceModel::totals() const
{
    ChoiceTotals totals;
    for (const ReportChoice& choice : m_choices) {
        if (!choice.isTicked) continue;
        ++totals.files;
        totals.size_bytes += choice.file.size_bytes;
        totals.memory_bytes += choice.file.memory_bytes;
    }
    return totals;
}

ReportChoiceModel::Node* ReportChoiceModel::nodeAt(const QModelIndex& index) const
{
    return index.isValid() ? static_cast<Node*>(index.internalPointer()) : m_root.get();
}

QModelIndex ReportChoiceModel::index(int row, int column, const QModelIndex& parent) const
{
    if (parent.column() > 0 || column < 0 || column >= columnEnd) return {};
    const Node* const node = nodeAt(parent);
    if (row < 0 || row >= static_cast<int>(node->children.size())) return {};
    return createIndex(row, column, node->children[static_cast<size_t>(row)].get());
}

QModelIndex ReportChoiceModel::parent(const QModelIndex& index) const
{
    if (!index.isValid()) return {};
    Node* const above = nodeAt(index)->parent;
    return above == m_root.get() ? QModelIndex() : createIndex(above->row, 0, above);
}

int ReportChoiceModel::rowCount(const QModelIndex& parent) const
{
    return parent.column() > 0 ? 0 : static_cast<int>(nodeAt(parent)->children.size());
}

int ReportChoiceModel::columnCount(const QModelIndex&) const
{
    return columnEnd;
}

QVariant ReportChoiceModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) return {};
    const Node& node = *nodeAt(index);
    const int column = index.column();
    if (role == Qt::TextAlignmentRole && column >= sizeColumn) return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::CheckStateRole && column == nameColumn) {
        return static_cast<int>(node.ticked == 0                ? Qt::Unchecked
                                : node.ticked == node.all.files ? Qt::Checked
                                                                : Qt::PartiallyChecked);
    }
    if (role == Qt::DisplayRole && column == nameColumn) return node.label;
    if (role == Qt::DisplayRole && column == sizeColumn)
        return byteCellText(static_cast<int64_t>(node.all.size_bytes), m_sizeUnit);
    if (role == Qt::DisplayRole && column == memoryColumn)
        return "\u2248 " + byteCellText(static_cast<int64_t>(node.all.memory_bytes), m_memoryUnit);
    return node.choice < 0 ? groupData(node, column, role) : fileData(node, column, role);
}

QVariant ReportChoiceModel::groupData(const Node& node, int column, int role) const
{
    if (role != Qt::DisplayRole || column != toolColumn) return {};
    const auto files = static_cast<int>(node.all.files);
    return node.ticked == 0 ? tr("%n file(s)", nullptr, files)
                            : tr("%1 of %n file(s)", nullptr, files).arg(node.ticked);
}

QVariant ReportChoiceModel::fileData(const Node& node, int column, int role) const
{
    const ReportChoice& choice = m_choices[static_cast<size_t>(node.choice)];
    if (role == Qt::ToolTipRole) return tooltipOf(choice);
    if (role != Qt::DisplayRole) return {};
    if (column == toolColumn) return QString::fromStdString(choice.tool);
    if (column == kindColumn) return QString::fromStdString(choice.file.kind);
    return {};
}

QVariant ReportChoiceModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    const std::array<QString, columnEnd> kNames{tr("Report"), tr("Tool"), tr("Kind"),
                                                headerInUnit(tr("Size"), m_sizeUnit),
                                                headerInUnit(tr("In memory"), m_memoryUnit)};
    if (orientation != Qt::Horizontal || section < 0 || section >= columnEnd) return {};
    if (role == Qt::TextAlignmentRole)
        return int((section >= sizeColumn ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == memoryColumn)
        return tr("Estimated memory use once open, from the size and kind of the file");
    return role == Qt::DisplayRole ? QVariant(kNames[static_cast<size_t>(section)]) : QVariant();
}

bool ReportChoiceModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::CheckStateRole || index.column() != nameColumn) return false;
    const bool isTicked = value.toInt() != Qt::Unchecked;
    const std::function<void(const Node&)> tick = [&](const Node& node) {
        if (node.choice >= 0) m_choices[static_cast<size_t>(node.choice)].isTicked = isTicked;
        for (const auto& child : node.children)
            tick(*child);
    };
    tick(*nodeAt(index));
    notifyTicks();
    return true;
}

Qt::ItemFlags ReportChoiceModel::flags(const QModelIndex& index) const
{
    if (!index.isValid()) return Qt::NoItemFlags;
    const Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    return index.column() == nameColumn ? flags | Qt::ItemIsUserCheckable : flags;
}

} // namespace lockstep
