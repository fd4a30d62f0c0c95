// SPDX-License-Identifier: Apache-2.0
#include "ui/session/hosts_model.h"

#include "core/base/text.h"
#include "ui/session/session_draft.h"

namespace lockstep {

HostsModel::HostsModel(SessionDraft& draft, QObject* parent)
    : QAbstractTableModel(parent), m_draft(draft), m_rows(static_cast<int>(draft.config().hosts.size()))
{
    connect(&draft, &SessionDraft::changed, this, &HostsModel::refresh);
}

int HostsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : m_rows + 1;
}

int HostsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : columnTotal;
}

QVariant HostsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || (role != Qt::DisplayRole && role != Qt::EditRole)) return {};
    const std::vector<Host>& hosts = m_draft.config().hosts;
    const auto row = static_cast<size_t>(index.row());
    if (row >= hosts.size()) {
        return role == Qt::DisplayRole && index.column() == name ? QVariant(tr("add a host")) : QVariant();
    }
    const Host& host = hosts[row];
    if (index.column() == gpus) return host.gpus ? QVariant(QString::number(*host.gpus)) : QVariant();
    if (index.column() == name) return QString::fromStdString(host.name);
    if (host.address.empty() && role == Qt::DisplayRole) return tr("same as name");
    return QString::fromStdString(host.address);
}

QVariant HostsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    return section == name ? tr("Host") : section == address ? tr("SSH address") : tr("GPUs used");
}

Qt::ItemFlags HostsModel::flags(const QModelIndex& index) const
{
    if (!index.isValid()) return Qt::NoItemFlags;
    const bool isEmptyRow = index.row() == m_rows;
    if (isEmptyRow && index.column() != name) return Qt::ItemIsSelectable;
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsEditable;
}

bool HostsModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::EditRole || !index.isValid()) return false;
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
    if (row < 0 || row >= m_rows) return;
    m_draft.edit(tr("remove host"),
                 [row](SessionConfig& config) { config.hosts.erase(config.hosts.begin() + row); });
}

void HostsModel::refresh()
{
    const int rows = static_cast<int>(m_draft.config().hosts.size());
    if (rows > m_rows) {
        beginInsertRows({}, m_rows, rows - 1);
        m_rows = rows;
        endInsertRows();
    } else if (rows < m_rows) {
        beginRemoveRows({}, rows, m_rows - 1);
        m_rows = rows;
        endRemoveRows();
    }
    emit dataChanged(index(0, 0), index(m_rows, columnTotal - 1));
}

} // namespace lockstep
