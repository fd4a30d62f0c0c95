// SPDX-License-Identifier: Apache-2.0
#include "ui/session/recipe_settings_model.h"

#include <algorithm>

#include "ui/session/session_draft.h"

namespace lockstep {

// A refused text keeps its row when another framework or tool is chosen, so that it can be corrected.
static std::vector<RecipeSettingRow> shownRows(const SessionDraft& draft)
{
    constexpr std::string_view kPrefix = "settings.";
    std::vector<RecipeSettingRow> rows = recipeSettingRows(draft.config());
    for (const auto& [path, refused] : draft.state().refused) {
        const std::string setting = path.starts_with(kPrefix) ? path.substr(kPrefix.size()) : std::string();
        if (setting.empty() || std::ranges::find(rows, setting, &RecipeSettingRow::name) != rows.end())
            continue;
        rows.emplace_back().name = setting;
    }
    return rows;
}

RecipeSettingsModel::RecipeSettingsModel(SessionDraft& draft, QObject* parent)
    : QAbstractTableModel(parent), m_draft(draft), m_rows(shownRows(draft))
{
    connect(&draft, &SessionDraft::changed, this, &RecipeSettingsModel::refresh);
}

int RecipeSettingsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int RecipeSettingsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : columnTotal;
}

QVariant RecipeSettingsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) return {};
    const RecipeSettingRow& row = m_rows[static_cast<size_t>(index.row())];
    if (role == kChoicesRole) {
        QStringList choices;
        if (row.type == RecipeType::boolean || row.type == RecipeType::flag)
            choices << "true"
                    << "false";
        const bool isList = row.type == RecipeType::texts || row.type == RecipeType::integers;
        for (const std::string& choice : isList ? std::vector<std::string>() : row.choices)
            choices << QString::fromStdString(choice);
        return choices;
    }
    const RefusedText* const refused =
        index.column() == value ? m_draft.refused("settings." + row.name) : nullptr;
    if (refused != nullptr && role == Qt::ToolTipRole) return QString::fromStdString(refused->reason);
    if (refused != nullptr && role == Qt::ForegroundRole) return m_theme->bad;
    if (refused != nullptr && (role == Qt::DisplayRole || role == Qt::EditRole))
        return QString::fromStdString(refused->text);
    if (role == Qt::ForegroundRole) return index.column() <= value ? m_theme->text : m_theme->mutedText;
    const bool isText = role == Qt::DisplayRole || role == Qt::EditRole;
    if (!isText && !(role == Qt::ToolTipRole && index.column() == meaning)) return {};
    switch (index.column()) {
    case name:
        return QString::fromStdString(row.name);
    case value:
        return QString::fromStdString(row.given);
    case standard:
        return QString::fromStdString(row.applies);
    default:
        break;
    }
    QString text = QString::fromStdString(row.comment);
    if (row.choices.empty()) return text;
    QStringList choices;
    for (const std::string& choice : row.choices)
        choices << QString::fromStdString(choice);
    return text.isEmpty() ? choices.join(", ") : tr("%1: %2").arg(text, choices.join(", "));
}

QVariant RecipeSettingsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
    case name:
        return tr("Setting");
    case value:
        return tr("Value");
    case standard:
        return tr("Default");
    default:
        return tr("Meaning");
    }
}

Qt::ItemFlags RecipeSettingsModel::flags(const QModelIndex& index) const
{
    if (!index.isValid()) return Qt::NoItemFlags;
    const Qt::ItemFlags base = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    return index.column() == value ? base | Qt::ItemIsEditable : base;
}

bool RecipeSettingsModel::setData(const QModelIndex& index, const QVariant& given, int role)
{
    if (role != Qt::EditRole || index.column() != value) return false;
    const std::string setting = m_rows[static_cast<size_t>(index.row())].name;
    const std::string text = given.toString().trimmed().toStdString();
    SessionConfig changed = m_draft.config();
    const std::string path = "settings." + setting;
    if (const Status done = setRecipeSetting(changed, setting, text); !done) {
        m_draft.refuse(path, {text, setting, done.error().message});
        return true;
    }
    m_draft.editState(
        tr("change %1").arg(setting.c_str()),
        [&](SessionDraft::State& state) {
            state.refused.erase(path);
            state.config.settings = changed.settings;
        },
        path);
    return true;
}

void RecipeSettingsModel::setTheme(const Theme& theme)
{
    m_theme = &theme;
    if (!m_rows.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, columnTotal - 1));
}

void RecipeSettingsModel::refresh()
{
    std::vector<RecipeSettingRow> rows = shownRows(m_draft);
    const bool isSame =
        std::ranges::equal(rows, m_rows, {}, &RecipeSettingRow::name, &RecipeSettingRow::name);
    if (!isSame) {
        beginResetModel();
        m_rows = std::move(rows);
        endResetModel();
    } else if (!rows.empty()) {
        m_rows = std::move(rows);
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnTotal - 1));
    }
}

} // namespace lockstep
