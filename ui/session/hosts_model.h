// SPDX-License-Identifier: Apache-2.0
// HostsModel: an editable table of the session's hosts: name, SSH address, GPUs, agent folder, and the result
// of the last query of the host. Its last row is empty and becomes a host when it gets a name. A refused text
// of a cell stays in the cell; the path of the cell is "hosts.ROW.KEY". UI thread.
#pragma once

#include <string>
#include <vector>

#include <QAbstractTableModel>

#include "core/session/session_config.h"
#include "ui/style/theme.h"

namespace lockstep {

class SessionDraft;

class HostsModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    explicit HostsModel(SessionDraft& draft, QObject* parent = nullptr);

    enum Column { name, address, gpus, agentFolder, check, columnTotal };

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    // Returns the cell "hosts.ROW.KEY", or the name of the host "hosts.NAME".
    QModelIndex cellOf(const std::string& path) const;
    // Inserts a host without a name before the row.
    void insertHost(int row);
    // Removes the host of a row. Ignores the empty row.
    void removeHost(int row);
    void setTheme(const Theme& theme);

  private:
    QVariant checkData(const std::string& host, int role) const;
    void refresh();
    int hostCount() const { return static_cast<int>(m_hosts.size()); }

    static std::string cellPath(const QModelIndex& index);

    SessionDraft& m_draft;
    const Theme* m_theme = &lightTheme();
    std::vector<Host> m_hosts;
    int m_rowCount; // as shown; changes only between begin and end signals
};

} // namespace lockstep
