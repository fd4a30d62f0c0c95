// SPDX-License-Identifier: Apache-2.0
// RunHostsModel: a tree model with one row per host of a run: state, step, capture, utilization, disk, link,
// clock. The children of a host are its ranks and GPUs. Message rows after a host report failures and
// remedies. UI thread.
#pragma once

#include <vector>

#include <QAbstractItemModel>

#include "core/remote/run.h"
#include "ui/run/run_feed.h"
#include "ui/style/theme.h"

namespace lockstep {

class RunHostsModel : public QAbstractItemModel {
    Q_OBJECT

  public:
    enum Column {
        hostColumn,
        stateColumn,
        stepColumn,
        captureColumn,
        gpuColumn,
        gpuMemoryColumn,
        cpuColumn,
        diskFreeColumn,
        linkColumn,
        clockColumn,
        columnTotal
    };
    enum Role {
        hostIndexRole = Qt::UserRole, // int, all rows: index of the host in the run
        rankRole,                     // qlonglong, rows of ranks; invalid for other rows
        isMessageRole,                // bool
        sparkRole,                    // QList<double>, 0..1, oldest first; column gpu only
        isRecordingRole               // bool; column capture only
    };

    explicit RunHostsModel(QObject* parent = nullptr) : QAbstractItemModel(parent) {}

    // `run` and `feed` must outlive the model or a later show(nullptr, nullptr).
    void show(const Run* run, const RunFeed* feed);
    void setTheme(const Theme& theme) { m_theme = &theme; }
    // Updates the values and adds or removes rows as needed.
    void refresh();
    QModelIndex hostRow(size_t host) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    struct Part { // a rank or a GPU of a host
        QString name, capture, memory;
        int gpu = -1;    // GPU index, or -1 for a rank
        QString step;    // latest training step of a rank
        QString failure; // how the process of a rank failed; empty if it did not
        std::optional<int64_t> rank = {};

        friend bool operator==(const Part&, const Part&) = default;
    };
    struct Row {
        size_t host = 0;
        bool isMessage = false;
        QString message;
        bool isBad = false;
        std::vector<Part> parts;

        friend bool operator==(const Row&, const Row&) = default;
    };

    std::vector<Row> currentRows() const;
    std::vector<Part> partsOf(const HostStatus& host) const;
    QVariant hostText(const HostStatus& host, size_t index, int column) const;
    QVariant partText(const Part& part, int column) const;
    QVariant colorOf(const Row& row, int column) const;
    QVariant tooltip(const HostStatus& host, int column) const;
    QList<double> sparkOf(size_t host, int gpu) const;

    const Run* m_run = nullptr;
    const RunFeed* m_feed = nullptr;
    const Theme* m_theme = &lightTheme();
    std::vector<Row> m_rows;
};

} // namespace lockstep
