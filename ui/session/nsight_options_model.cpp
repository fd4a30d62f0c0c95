// SPDX-License-Identifier: Apache-2.0
#include "ui/session/nsight_options_model.h"

#include <algorithm>

#include "core/session/field_defaults.h"
#include "core/session/nsight_options.h"
#include "core/session/recipes/recipe_settings.h"
#include "ui/session/session_draft.h"

namespace lockstep {

namespace {

std::optional<NsysVersion> versionOf(const SessionDraft& draft)
{
    const std::optional<std::string> version = knownNsysVersion(draft.facts());
    return version ? nsysVersion(*version) : std::nullopt;
}

QString fromView(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace

NsightOptionsModel::NsightOptionsModel(SessionDraft& draft, QObject* parent)
    : QAbstractTableModel(parent), m_draft(draft), m_names(optionNames())
{
    connect(&draft, &SessionDraft::changed, this, &NsightOptionsModel::refresh);
}

const NsightOptions& NsightOptionsModel::options(int column) const
{
    const SessionConfig& config = m_draft.config();
    return column == controller ? config.controllerOptions : config.workerOptions;
}

std::vector<std::string> NsightOptionsModel::optionNames() const
{
    std::vector<std::string> names;
    const auto add = [&names](std::string option) {
        if (std::ranges::find(names, option) == names.end()) names.push_back(std::move(option));
    };
    for (const int column : {worker, controller}) {
        for (const NsightOption& option : options(column))
            add(option.name);
    }
    for (const NsightOptionRule* rule : nsightRulesFor(versionOf(m_draft))) {
        const bool isNamed = !rule->letter.empty() && std::ranges::find(names, rule->letter) != names.end();
        if (!isNamed) add(std::string(rule->name));
    }
    return names;
}

int NsightOptionsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_names.size());
}

int NsightOptionsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : columnTotal;
}

QString NsightOptionsModel::problem(const std::string& option) const
{
    const NsightOptionRule* const rule = findNsightRule(option);
    if (rule == nullptr) return {};
    for (const int column : {worker, controller}) {
        const NsightOption* const chosen = findOption(options(column), option);
        if (chosen == nullptr || !chosen->value) continue;
        const std::string reason = nsightValueProblem(*rule, *chosen->value, versionOf(m_draft));
        if (!reason.empty()) return QString::fromStdString(reason);
    }
    return {};
}

std::optional<std::string> NsightOptionsModel::computedValue(const std::string& option) const
{
    const SessionConfig& config = m_draft.config();
    const bool isChosen = findOption(config.workerOptions, option) != nullptr;
    return isChosen ? std::nullopt : computedNsysOption(config, eraOf(m_draft), option);
}

QString NsightOptionsModel::remarkText(const std::string& option) const
{
    if (const auto computed = computedValue(option)) return tr("computed: %1").arg(computed->c_str());
    const QString wrong = problem(option);
    if (!wrong.isEmpty()) return wrong;
    const NsightOptionRule* const rule = findNsightRule(option);
    if (rule == nullptr) return tr("unknown to Lockstep; passed through unchanged");
    return rule->remark.empty() ? fromView(rule->values).replace(' ', ", ") : fromView(rule->remark);
}

QString NsightOptionsModel::defaultText(const std::string& option) const
{
    const NsightOptions set = frameworkNsysOptions(m_draft.config(), false);
    if (const NsightOption* const own = findOption(set, option); own != nullptr && own->value)
        return QString::fromStdString(*own->value);
    if (const auto computed = computedValue(option)) return QString::fromStdString(*computed);
    const NsightOptionRule* const rule = findNsightRule(option);
    return rule == nullptr ? QString() : fromView(rule->defaultValue);
}

QString NsightOptionsModel::defaultSource(const std::string& option) const
{
    const NsightOptions set = frameworkNsysOptions(m_draft.config(), false);
    if (findOption(set, option) == nullptr) return tr("the default of nsys");
    const Framework framework = m_draft.config().framework;
    const bool isOurs = framework == Framework::torchrun || framework == Framework::plain;
    return isOurs ? tr("set by Lockstep, unless the session sets it")
                  : tr("set by the framework, unless the session sets it");
}

QVariant NsightOptionsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) return {};
    const std::string& option = m_names[static_cast<size_t>(index.row())];
    const NsightOptionRule* const rule = findNsightRule(option);
    if (role == kChoicesRole) {
        if (rule == nullptr || rule->kind != NsightValueKind::choice) return QStringList();
        return fromView(rule->values).split(' ', Qt::SkipEmptyParts);
    }
    const bool isValue = index.column() == worker || index.column() == controller;
    if (role == Qt::ForegroundRole) {
        if (index.column() == remark && !problem(option).isEmpty()) return m_theme->warn;
        if (index.column() == remark && computedValue(option)) return m_theme->good;
        return isValue || index.column() == name ? m_theme->text : m_theme->mutedText;
    }
    if (role == Qt::ToolTipRole && index.column() == remark) return remarkText(option);
    if (role == Qt::ToolTipRole && index.column() == standard) return defaultSource(option);
    if (role != Qt::DisplayRole && role != Qt::EditRole) return {};
    if (index.column() == name) return QString::fromStdString(option);
    if (index.column() == standard) return defaultText(option);
    if (index.column() == remark) return remarkText(option);
    const NsightOption* const chosen = findOption(options(index.column()), option);
    if (chosen == nullptr) return {};
    return chosen->value ? QString::fromStdString(*chosen->value) : QString("null");
}

QVariant NsightOptionsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    static const QStringList kNames{tr("Option"), tr("Workers"), tr("Controller"), tr("Default"), ""};
    return kNames[section];
}

Qt::ItemFlags NsightOptionsModel::flags(const QModelIndex& index) const
{
    if (!index.isValid()) return Qt::NoItemFlags;
    const bool isValue = index.column() == worker || index.column() == controller;
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable | (isValue ? Qt::ItemIsEditable : Qt::NoItemFlags);
}

bool NsightOptionsModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::EditRole || (index.column() != worker && index.column() != controller)) return false;
    const std::string option = m_names[static_cast<size_t>(index.row())];
    const std::string text = value.toString().trimmed().toStdString();
    const bool isController = index.column() == controller;
    m_draft.edit("nsys " + QString::fromStdString(option), [&](SessionConfig& config) {
        NsightOptions& options = isController ? config.controllerOptions : config.workerOptions;
        if (text.empty()) return eraseOption(options, option);
        setOption(options, option, text == "null" ? std::nullopt : std::optional(text));
    });
    return true;
}

void NsightOptionsModel::setTheme(const Theme& theme)
{
    m_theme = &theme;
    emit dataChanged(index(0, 0), index(rowCount() - 1, columnTotal - 1));
}

// If the set of options is unchanged, e.g. after an edit, keeps the order of the rows. Otherwise resets the
// model.
void NsightOptionsModel::refresh()
{
    std::vector<std::string> names = optionNames();
    std::vector<std::string> before = m_names, after = names;
    std::ranges::sort(before);
    std::ranges::sort(after);
    if (before != after) {
        beginResetModel();
        m_names = std::move(names);
        endResetModel();
    } else {
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnTotal - 1));
    }
}

} // namespace lockstep
