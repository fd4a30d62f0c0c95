// SPDX-License-Identifier: Apache-2.0
#include "ui/session/hosts_model.h"

#include <array>

#include <QFont>

#include "core/base/text.h"
#include "ui/session/session_draft.h"

namespace lockstep {

namespace {

const std::string kTable = "hosts.";

// Moves the refused texts after a row was inserted (by = 1) or removed (by = -1).
void moveRefusedRows(SessionDraft::State& state, int row, int by)
{
    auto before = std::move(state.refused);
    state.refused.clear();
    for (auto& [path, text] : before) {
        const size_t dot = path.find('.', kTable.size());
        const auto at = path.starts_with(kTable) && dot != path.npos
                            ? parseInt(std::string_view(path).substr(kTable.size(), dot - kTable.size()))
                            : std::nullopt;
        if (!at || *at < row) {
            state.refused.emplace(path, std::move(text));
        } else if (by > 0 || *at > row) {
            state.refused.emplace(kTable + std::to_string(*at + by) + path.substr(dot), std::move(text));
        }
    }
}

} // namespace

HostsModel::HostsModel(SessionDraft& draft, QObject* parent)
    : QAbstractTableModel(parent), m_draft(draft), m_hosts(draft.config().hosts), m_rowCount(hostCount() + 1)
{
    connect(&draft, &SessionDraft::changed, this, &HostsModel::refresh);
}

int HostsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : m_rowCount;
}

int HostsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : columnTotal;
}

// Returns the result of the last query. The reason that a host is unreachable is also on its other cells.
QVariant HostsModel::checkData(const std::string& host, int role) const
{
    const HostCheck found = m_draft.hostCheck(host);
    const bool isLost = found.state == HostCheck::State::unreachable;
    const QString reason = QString::fromStdString(found.reason);
    QString text;
    switch (found.state) {
    case HostCheck::State::notPlanned:
        break;
    case HostCheck::State::unchecked:
        text = tr("not checked");
        break;
    case HostCheck::State::running:
        text = tr("checking\u2026");
        break;
    case HostCheck::State::responded:
        text = tr("responded");
        break;
    case HostCheck::State::unreachable:
        text = tr("unreachable");
        break;
    }
    if (role == Qt::DisplayRole) return text;
    if (role == Qt::ToolTipRole && isLost) return reason;
    if (role == Qt::AccessibleTextRole) return isLost ? tr("%1: %2").arg(text, reason) : text;
    if (role != Qt::FontRole || !isLost) return {};
    QFont font;
    font.setBold(true);
    return font;
}

std::string HostsModel::cellPath(const QModelIndex& index)
{
    constexpr std::array<const char*, columnTotal> kKeys{"name", "address", "gpus", "agent_folder", ""};
    return kTable + std::to_string(index.row()) + "." + kKeys[static_cast<size_t>(index.column())];
}

QVariant HostsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) return {};
    const RefusedText* const refused = m_draft.refused(cellPath(index));
    if (refused != nullptr && role == Qt::ToolTipRole) return QString::fromStdString(refused->reason);
    if (refused != nullptr && role == Qt::ForegroundRole) return m_theme->bad;
    const auto row = static_cast<size_t>(index.row());
    const bool isOfCheck = index.column() == check || role == Qt::ToolTipRole;
    if (isOfCheck && row < m_hosts.size()) return checkData(m_hosts[row].name, role);
    if (role != Qt::DisplayRole && role != Qt::EditRole) return {};
    if (refused != nullptr) return QString::fromStdString(refused->text);
    if (row >= m_hosts.size()) {
        return role == Qt::DisplayRole && index.column() == name ? QVariant(tr("add a host")) : QVariant();
    }
    const Host& host = m_hosts[row];
    switch (index.column()) {
    case name:
        return QString::fromStdString(host.name);
    case gpus:
        return host.gpus ? QVariant(QString::number(*host.gpus)) : QVariant();
    case address:
        if (host.address.empty() && role == Qt::DisplayRole) return tr("same as name");
        return QString::fromStdString(host.address);
    default:
        return QString::fromStdString(host.agentFolder);
    }
}

QVariant HostsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    static const QStringList kNames{tr("Host"), tr("SSH address"), tr("GPUs used"), tr("Agent folder"),
                                    tr("Check")};
    return kNames[section];
}

Qt::ItemFlags HostsModel::flags(const QModelIndex& index) const
{
    if (!index.isValid()) return Qt::NoItemFlags;
    const bool isEmptyRow = index.row() >= hostCount();
    if (isEmptyRow && index.column() != name) return Qt::ItemIsSelectable;
    const Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    return index.column() == check ? flags : flags | Qt::ItemIsEditable;
}

bool HostsModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::EditRole || !index.isValid() || index.column() == check) return false;
    const std::string text = value.toString().trimmed().toStdString();
    const auto row = static_cast<size_t>(index.row());
    const std::optional<int64_t> number = parseInt(text);
    const std::string path = cellPath(index);
    if (row >= m_hosts.size() && text.empty()) return false;
    QString problem;
    if (index.column() == gpus && !text.empty() && (!number || *number < 0))
        problem = tr("expected a whole number, 0 or larger");
    if (index.column() == name && text.empty()) problem = tr("a host needs a name");
    if (!problem.isEmpty()) {
        const QString caption =
            tr("Hosts, row %1, %2")
                .arg(index.row() + 1)
                .arg(headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString());
        m_draft.refuse(path, {text, caption.toStdString(), problem.toStdString()});
        return true;
    }
    m_draft.editState(tr("hosts"), [&](SessionDraft::State& state) {
        std::vector<Host>& hosts = state.config.hosts;
        state.refused.erase(path);
        if (row >= hosts.size()) hosts.emplace_back();
        Host& host = hosts[std::min(row, hosts.size() - 1)];
        if (index.column() == name) {
            host.name = text;
        } else if (index.column() == address) {
            host.address = text;
        } else if (index.column() == gpus) {
            host.gpus = number;
        } else {
            host.agentFolder = text;
        }
    });
    return true;
}

QModelIndex HostsModel::cellOf(const std::string& path) const
{
    for (int row = 0; row < hostCount(); ++row) {
        for (int column = 0; column < columnTotal; ++column) {
            if (path == cellPath(index(row, column))) return index(row, column);
        }
        if (path == kTable + m_hosts[static_cast<size_t>(row)].name) return index(row, name);
    }
    return {};
}

void HostsModel::insertHost(int row)
{
    if (row < 0 || row > hostCount()) return;
    m_draft.editState(tr("insert host"), [row](SessionDraft::State& state) {
        state.config.hosts.emplace(state.config.hosts.begin() + row);
        moveRefusedRows(state, row, 1);
    });
}

void HostsModel::removeHost(int row)
{
    if (row < 0 || row >= hostCount()) return;
    m_draft.editState(tr("remove host"), [row](SessionDraft::State& state) {
        state.config.hosts.erase(state.config.hosts.begin() + row);
        moveRefusedRows(state, row, -1);
    });
}

void HostsModel::setTheme(const Theme& theme)
{
    m_theme = &theme;
    emit dataChanged(index(0, 0), index(m_rowCount - 1, columnTotal - 1));
}

// First the values change, then the number of rows after the last host. The row in which the user typed a new
// name thus keeps its position, and Tab continues in the same row.
void HostsModel::refresh()
{
    m_hosts = m_draft.config().hosts;
    const int before = m_rowCount, now = hostCount() + 1;
    emit dataChanged(index(0, 0), index(before - 1, columnTotal - 1));
    if (now > before) {
        beginInsertRows({}, before, now - 1);
        m_rowCount = now;
        endInsertRows();
    } else if (now < before) {
        beginRemoveRows({}, now, before - 1);
        m_rowCount = now;
        endRemoveRows();
    }
}

} // namespace lockstep
