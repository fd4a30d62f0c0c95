// SPDX-License-Identifier: Apache-2.0
#include "ui/session/hosts_model.h"

#include <QFont>

#include "core/base/text.h"
#include "ui/session/session_draft.h"

namespace lockstep {

HostsModel::HostsModel(SessionDraft& draft, QObject* parent)
    : QAbstractTableModel(parent), m_draft(draft), m_hosts(draft.config().hosts)
{
    connect(&draft, &SessionDraft::changed, this, &HostsModel::refresh);
}

int HostsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : hostCount() + 1;
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
        text = tr("checking…");
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

QVariant HostsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) return {};
    const auto row = static_cast<size_t>(index.row());
    const bool isOfCheck = index.column() == check || role == Qt::ToolTipRole;
    if (isOfCheck && row < m_hosts.size()) return checkData(m_hosts[row].name, role);
    if (role != Qt::DisplayRole && role != Qt::EditRole) return {};
    if (row >= m_hosts.size()) {
        return role == Qt::DisplayRole && index.column() == name ? QVariant(tr("add a host")) : QVariant();
    }
    const Host& host = m_hosts[row];
    if (index.column() == gpus) return host.gpus ? QVariant(QString::number(*host.gpus)) : QVariant();
    if (index.column() == name) return QString::fromStdString(host.name);
    if (host.address.empty() && role == Qt::DisplayRole) return tr("same as name");
    return QString::fromStdString(host.address);
}

QVariant HostsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
    case name:
        return tr("Host");
    case address:
        return tr("SSH address");
    case gpus:
        return tr("GPUs used");
    default:
        return tr("Check");
    }
}

Qt::ItemFlags HostsModel::flags(const QModelIndex& index) const
{
    if (!index.isValid()) return Qt::NoItemFlags;
    const bool isEmptyRow = index.row() == hostCount();
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
    if (index.column() == gpus && !text.empty() && (!number || *number < 0)) return false;
    if (index.column() == name && text.empty()) return false;
    m_draft.edit(tr("hosts"), [&](SessionConfig& config) {
        if (row >= config.hosts.size()) config.hosts.emplace_back();
        Host& host = config.hosts[std::min(row, config.hosts.size() - 1)];
        if (index.column() == name) {
            host.name = text;
        } else if (index.column() == address) {
            host.address = text;
        } else {
            host.gpus = number;
        }
    });
    return true;
}

void HostsModel::removeHost(int row)
{
    if (row < 0 || row >= hostCount()) return;
    m_draft.edit(tr("remove host"),
                 [row](SessionConfig& config) { config.hosts.erase(config.hosts.begin() + row); });
}

void HostsModel::refresh()
{
    const std::vector<Host>& hosts = m_draft.config().hosts;
    const int before = hostCount(), now = static_cast<int>(hosts.size());
    if (now > before) beginInsertRows({}, before, now - 1);
    if (now < before) beginRemoveRows({}, now, before - 1);
    m_hosts = hosts;
    if (now > before) endInsertRows();
    if (now < before) endRemoveRows();
    emit dataChanged(index(0, 0), index(now, columnTotal - 1));
}

} // namespace lockstep
