// SPDX-License-Identifier: Apache-2.0
// HostsModel: an editable table of the session's hosts: name, SSH address, GPUs, and the result of the last
// query of the host. Its last row is empty and
// becomes a host when it gets a name. UI thread.
#pragma once

#include <vector>

#include <QAbstractTableModel>

#include "core/session/session_config.h"

namespace lockstep {

class SessionDraft;

class HostsModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    explicit HostsModel(SessionDraft& draft, QObject* parent = nullptr);

    enum Column { name, address, gpus, check, columnTotal };

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    // Removes the host of a row. Ignores the empty row.
    void removeHost(int row);

  private:
    QVariant checkData(const std::string& host, int role) const;
    void refresh();
    int hostCount() const { return static_cast<int>(m_hosts.size()); }

    SessionDraft& m_draft;
    std::vector<Host> m_hosts; // as shown; changes only between begin and end signals
};

} // namespace lockstep
