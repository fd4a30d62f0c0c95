// SPDX-License-Identifier: Apache-2.0
// ReportTreeModel arranges the open reports as run > step > host > role > rank, each with a check box that
// shows or hides it. Levels that are unknown for a report are omitted. Column 0 is the name. Column 1 shows
// the kind and duration, "hidden" if the user hid all lanes or, during a search, the number of hits in
// visible reports. UI thread.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QAbstractItemModel>

#include "core/search/event_hits.h"
#include "ui/models/report_entry.h"

namespace lockstep {

class ReportTreeModel : public QAbstractItemModel {
    Q_OBJECT

  public:
    enum Role {
        keyRole = Qt::UserRole, // ReportEntry::key of a report, or -1 for a group
        // Reinforcement-learning role that determines the color of the row's stripe, or "".
        roleNameRole,
        isHitCountRole,    // column 1 counts hits
        areLanesHiddenRole // all lanes of the report, or of all shown reports in the group, are hidden
    };

    explicit ReportTreeModel(QObject* parent = nullptr);
    ~ReportTreeModel() override;

    // Shows the entries that are open reports. Rows keep their positions unless the set of reports changed.
    void setEntries(const std::vector<ReportEntry>& entries);
    // Sets the search hits; null if no search is active or not all hits are known yet.
    void setHits(std::shared_ptr<const EventHits> hits);
    // Sets the reports whose lanes are all hidden in the timeline, in ascending order.
    void setHiddenLanes(std::vector<ReportKey> reports);
    // Returns the keys of the reports at and below an index.
    std::vector<ReportKey> keysUnder(const QModelIndex& index) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

  signals:
    // Emitted when the user changes a check box. The owner of the entries responds by calling setEntries().
    void showRequested(const std::vector<ReportKey>& keys, bool isShown);

  private:
    struct Node;

    Node* nodeAt(const QModelIndex& index) const;
    QVariant groupData(const Node& node, int column, int role) const;
    QVariant reportData(const ReportEntry& entry, int column, int role) const;
    // No value if no report below the node is visible.
    std::optional<uint64_t> hitsUnder(const Node& node) const;
    bool areLanesHidden(const Node& node) const;
    QVariant tooltip(const Node& node) const;
    void emitAllChanged(const QModelIndex& parent);
    void build();
    void disambiguateLeaves(Node& group);

    std::vector<ReportEntry> m_entries; // open reports, in tree order
    std::shared_ptr<const EventHits> m_hits;
    std::vector<ReportKey> m_hiddenLanes; // in ascending order
    std::unique_ptr<Node> m_root;
};

} // namespace lockstep
