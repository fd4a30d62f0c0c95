// SPDX-License-Identifier: Apache-2.0
#include "ui/session/role_matrix_model.h"

#include <algorithm>
#include <array>

#include "core/session/recipes/recipe_settings.h"
#include "core/session/typed_value.h"
#include "ui/session/field_editors.h"
#include "ui/session/field_hints.h"
#include "ui/session/session_draft.h"

namespace lockstep {

namespace {

constexpr int kMinRanks = 8, kMaxRanks = 4096;

Role roleAt(int row)
{
    return kRoles[static_cast<size_t>(row)];
}

void setRank(RoleProfile& profile, int64_t rank, bool isOn)
{
    std::vector<int64_t> ranks = profile.ranks.value_or(std::vector<int64_t>());
    std::erase(ranks, rank);
    if (isOn) {
        ranks.insert(std::ranges::upper_bound(ranks, rank), rank);
        profile.enable = true;
        if (profile.allRanks) profile.allRanks = false;
    }
    profile.ranks = std::move(ranks);
}

void setSwitch(SessionConfig& config, int row, int column, bool isOn)
{
    RoleProfile& profile = config.role(roleAt(row));
    if (column == RoleMatrixModel::on) {
        profile.enable = isOn;
    } else if (column == RoleMatrixModel::all) {
        profile.allRanks = isOn;
        if (isOn) profile.enable = true;
    } else if (column == RoleMatrixModel::discrete) {
        profile.discrete = isOn;
    } else if (column >= RoleMatrixModel::firstRank) {
        setRank(profile, column - RoleMatrixModel::firstRank, isOn);
    }
}

// Frameworks with roles start their controller under nsys if nsys is the tool and steps are set.
bool recordsController(const SessionConfig& config)
{
    return config.tool == Tool::nsys && !sortedSteps(config).empty() && hasRoles(config);
}

// A controller with its own capture range is recorded only during the steps.
bool recordsStepsOfController(const SessionConfig& config)
{
    const NsightOption* const range = findOption(config.controllerOptions, "capture-range");
    return range != nullptr && range->value == "cudaProfilerApi";
}

std::string ranksPath(const QModelIndex& index)
{
    return "roles." + std::string(enumName(roleAt(index.row()))) + ".ranks";
}

std::string switchPath(const QModelIndex& index)
{
    constexpr std::array<const char*, 3> kKeys{"enable", "all_ranks", "discrete"};
    return "roles." + std::string(enumName(roleAt(index.row()))) + "." +
           kKeys[static_cast<size_t>(index.column())];
}

const std::optional<bool>* switchOf(const RoleProfile& profile, int column)
{
    switch (column) {
    case RoleMatrixModel::on:
        return &profile.enable;
    case RoleMatrixModel::all:
        return &profile.allRanks;
    case RoleMatrixModel::discrete:
        return &profile.discrete;
    default:
        return nullptr;
    }
}

} // namespace

RoleMatrixModel::RoleMatrixModel(SessionDraft& draft, QObject* parent)
    : QAbstractTableModel(parent), m_draft(draft), m_rankCount(neededRankCount())
{
    connect(&draft, &SessionDraft::changed, this, &RoleMatrixModel::refresh);
}

int RoleMatrixModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : kControllerRow + 1;
}

int RoleMatrixModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : firstRank + m_rankCount;
}

bool RoleMatrixModel::isRankChosen(const RoleProfile& profile, int64_t rank)
{
    if (profile.allRanks.value_or(false)) return true;
    return profile.ranks && std::ranges::find(*profile.ranks, rank) != profile.ranks->end();
}

bool RoleMatrixModel::isOn(const QModelIndex& index) const
{
    if (index.row() == kControllerRow) return index.column() == on && recordsController(m_draft.config());
    const RoleProfile& profile = m_draft.config().role(roleAt(index.row()));
    if (const std::optional<bool>* const value = switchOf(profile, index.column()))
        return value->value_or(false);
    return index.column() >= firstRank && isRankChosen(profile, index.column() - firstRank);
}

QVariant RoleMatrixModel::controllerData(int column, int role) const
{
    const bool isRecorded = recordsController(m_draft.config());
    if (role == kIsFixedRole) return true;
    if (role == Qt::CheckStateRole && column == on) return isRecorded ? Qt::Checked : Qt::Unchecked;
    if (role == Qt::DisplayRole && column == ranks && isRecorded)
        return recordsStepsOfController(m_draft.config()) ? tr("steps only") : tr("whole run");
    if (role == Qt::ToolTipRole) {
        return isRecorded ? tr("nsys records the controller automatically; its options are below")
                          : tr("the controller is recorded only by nsys, and only if steps are set");
    }
    if (role == Qt::AccessibleTextRole && column == on)
        return isRecorded ? tr("controller on") : tr("controller off");
    return {};
}

QVariant RoleMatrixModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) return {};
    if (index.row() == kControllerRow) return controllerData(index.column(), role);
    const RoleProfile& profile = m_draft.config().role(roleAt(index.row()));
    if (index.column() == ranks) {
        const RefusedText* const refused = m_draft.refused(ranksPath(index));
        if (refused != nullptr && role == Qt::ToolTipRole) return QString::fromStdString(refused->reason);
        if (refused != nullptr && role == Qt::ForegroundRole) return m_theme->bad;
        if (role != Qt::DisplayRole && role != Qt::EditRole) return {};
        if (refused != nullptr) return QString::fromStdString(refused->text);
        return QString::fromStdString(writeNumbers(profile.ranks.value_or(std::vector<int64_t>())));
    }
    if (role == Qt::CheckStateRole) return isOn(index) ? Qt::Checked : Qt::Unchecked;
    if (role == kIsUnsetRole) {
        const std::optional<bool>* const value = switchOf(profile, index.column());
        return value != nullptr && !*value;
    }
    if (role == Qt::DisplayRole && index.column() >= firstRank) return index.column() - firstRank;
    if (role == Qt::ToolTipRole && data(index, kIsUnsetRole).toBool())
        return defaultChoiceLabel(m_draft, switchPath(index), switchChoices());
    if (role == Qt::AccessibleTextRole) {
        return QString("%1 %2 %3")
            .arg(headerData(index.row(), Qt::Vertical, Qt::DisplayRole).toString(),
                 headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString(),
                 isOn(index) ? tr("on") : tr("off"));
    }
    return {};
}

QVariant RoleMatrixModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role != Qt::DisplayRole) return {};
    if (orientation == Qt::Vertical) {
        if (section == kControllerRow) return tr("controller");
        const std::string_view word = enumName(roleAt(section));
        return QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size()));
    }
    static const QStringList kNames{tr("on"), tr("all"), tr("discrete"), tr("ranks")};
    return section < firstRank ? QVariant(kNames[section]) : QVariant(section - firstRank);
}

Qt::ItemFlags RoleMatrixModel::flags(const QModelIndex& index) const
{
    if (!index.isValid()) return Qt::NoItemFlags;
    const Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    return index.column() == ranks && index.row() != kControllerRow ? flags | Qt::ItemIsEditable : flags;
}

bool RoleMatrixModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!index.isValid()) return false;
    if (role == Qt::CheckStateRole && index.column() != ranks) {
        setOn({index}, value.toInt() == Qt::Checked);
        return true;
    }
    if (role != Qt::EditRole || index.column() != ranks || index.row() == kControllerRow) return false;
    const std::string text = value.toString().toStdString();
    const Result<std::vector<int64_t>> numbers = readNumbers(text);
    const std::string path = ranksPath(index);
    if (!numbers) {
        const QString caption =
            tr("Ranks of %1").arg(headerData(index.row(), Qt::Vertical, Qt::DisplayRole).toString());
        m_draft.refuse(path, {text, caption.toStdString(), numbers.error().message});
        return true;
    }
    m_draft.editState(tr("ranks"), [&](SessionDraft::State& state) {
        state.refused.erase(path);
        RoleProfile& profile = state.config.role(roleAt(index.row()));
        profile.ranks = numbers->empty() ? std::nullopt : std::optional(*numbers);
        if (numbers->empty()) return;
        profile.enable = true;
        if (profile.allRanks) profile.allRanks = false;
    });
    return true;
}

void RoleMatrixModel::setOn(const QModelIndexList& cells, bool isOn)
{
    m_draft.edit(tr("roles"), [&](SessionConfig& config) {
        for (const QModelIndex& cell : cells) {
            if (cell.row() != kControllerRow) setSwitch(config, cell.row(), cell.column(), isOn);
        }
    });
}

void RoleMatrixModel::setTheme(const Theme& theme)
{
    m_theme = &theme;
    emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int RoleMatrixModel::neededRankCount() const
{
    int64_t count = std::max<int64_t>(kMinRanks, knownWorldSize(m_draft.config()).value_or(0));
    for (const Role role : kRoles) {
        for (const int64_t rank : m_draft.config().role(role).ranks.value_or(std::vector<int64_t>()))
            count = std::max(count, std::min<int64_t>(rank, kMaxRanks) + 1);
    }
    return static_cast<int>(std::min<int64_t>(count, kMaxRanks));
}

void RoleMatrixModel::refresh()
{
    const int count = neededRankCount();
    if (count > m_rankCount) {
        beginInsertColumns({}, firstRank + m_rankCount, firstRank + count - 1);
        m_rankCount = count;
        endInsertColumns();
    } else if (count < m_rankCount) {
        beginRemoveColumns({}, firstRank + count, firstRank + m_rankCount - 1);
        m_rankCount = count;
        endRemoveColumns();
    }
    emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

} // namespace lockstep
