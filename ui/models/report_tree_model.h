// SPDX-License-Identifier: Apache-2.0
// ReportTreeModel: the open reports as run > step > host > role > rank, each with a check box that shows or
// hides it. Levels that a report does not know are left out. Column 0 is the name, column 1 kind and
// duration; of shown reports, while something is searched for, hits. UI thread.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QAbstractItemModel>

#include "core/timeline/event_hits.h"
#include "ui/models/report_entry.h"

namespace lockstep {

class ReportTreeModel : public QAbstractItemModel {
    Q_OBJECT

  public:
    enum Role {
        keyRole = Qt::UserRole, // ReportEntry::key of a report, -1 of a group
        roleNameRole,           // the RL role that colours the row's stripe, or ""
        isHitCountRole          // column 1 counts hits
    };

    explicit ReportTreeModel(QObject* parent = nullptr);
    ~ReportTreeModel() override;

    // Takes the open ones of the entries; others are ignored. Rows keep their place unless the set of reports
    // changed.
    void setEntries(const std::vector<ReportEntry>& entries);
    // null: nothing is searched for, or not all hits are known yet.
    void setHits(std::shared_ptr<const EventHits> hits);
    // The keys of the reports at and below an index.
    std::vector<ReportKey> keysUnder(const QModelIndex& index) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

  signals:
    // The user checked or unchecked; the owner of the entries answers with setEntries().
    void showRequested(const std::vector<ReportKey>& keys, bool isShown);

  private:
    struct Node;

    Node* nodeAt(const QModelIndex& index) const;
    QVariant groupData(const Node& node, int column, int role) const;
    QVariant reportData(const ReportEntry& entry, int column, int role) const;
    std::optional<uint64_t> hitsUnder(const Node& node) const; // empty: of no shown report
    void tellOfAll(const QModelIndex& parent);
    void build();
    void tellLeavesApart(Node& group);

    std::vector<ReportEntry> m_entries; // open ones, in tree order
    std::shared_ptr<const EventHits> m_hits;
    std::unique_ptr<Node> m_root;
};

} // namespace lockstep
