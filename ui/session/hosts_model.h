// SPDX-License-Identifier: Apache-2.0
// HostsModel: an editable table of the session's hosts: name, SSH address, GPUs. Its last row is empty and
// becomes a host when it gets a name. UI thread.
#pragma once

#include <QAbstractTableModel>

namespace lockstep {

class SessionDraft;

class HostsModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    explicit HostsModel(SessionDraft& draft, QObject* parent = nullptr);

    enum Column { name, address, gpus, columnTotal };

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    // Removes the host of a row. Ignores the empty row.
    void removeHost(int row);

  private:
    void refresh();

    SessionDraft& m_draft;
    int m_rows = 0; // number of hosts shown
};

} // namespace lockstep
