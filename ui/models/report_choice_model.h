// SPDX-License-Identifier: Apache-2.0
// ReportChoiceModel arranges the files found in folders, before any file is opened, as a tree of run, role,
// rank and step with check boxes. A level is omitted if its value is unknown for all files. Otherwise, files
// with an unknown value are in a separate group at the end. Handles tens of thousands of files. UI thread.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <QAbstractItemModel>

#include "core/readers/report_search.h"
#include "ui/models/column_unit.h"

namespace lockstep {

// ReportChoice holds the properties of a file that its name and folders reveal, prepared for display and
// sorting.
struct ReportChoice {
    std::filesystem::path path;
    FoundFile file;
    // "nsys", "torch" ...; determined by the reader if the file name does not contain it.
    std::string tool;
    std::string searchText; // lower case
    // File name; if several files have the same name, preceded by the folders that distinguish them.
    std::string label;
    bool isTicked = false;
};

// SortedChoices is the list of all files found in folders, in the order of the tree.
struct SortedChoices {
    std::vector<ReportChoice> choices; // indexed as FoundReports::reports
    std::vector<size_t> order;         // indices in choices
};
// Sorts the files. Any thread; slow for tens of thousands of files.
SortedChoices sortedChoices(const FoundReports& found);

struct ChoiceTotals {
    size_t files = 0;
    uint64_t size_bytes = 0;
    uint64_t memory_bytes = 0;
};

class ReportChoiceModel : public QAbstractItemModel {
    Q_OBJECT

  public:
    enum Column { nameColumn, toolColumn, kindColumn, sizeColumn, memoryColumn, columnEnd };

    explicit ReportChoiceModel(QObject* parent = nullptr);
    ~ReportChoiceModel() override;

    void setChoices(SortedChoices sorted);
    // Shows only files that match every word. Words such as "step:3" match exactly; role, rank, tool, run and
    // host work in the same way. Any other word matches a part of the path. Check marks are preserved,
    // including those of hidden files.
    void setFilter(const QString& text);
    // Indexed as FoundReports::reports.
    const std::vector<ReportChoice>& choices() const { return m_choices; }
    std::vector<size_t> ticked() const;
    size_t shownCount() const { return m_shown.size(); }
    // Checks the files that the filter shows and that `fits` accepts, and unchecks all others.
    void tickOnly(const std::function<bool(const ReportChoice&)>& fits);
    ChoiceTotals totals() const; // totals of the checked files

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

  signals:
    void ticksChanged();

  private:
    struct Node;

    Node* nodeAt(const QModelIndex& index) const;
    void build();
    void addChildren(Node& parent, size_t begin, size_t end, int level);
    void recount(Node& node);
    void notifyTicks();
    QVariant groupData(const Node& node, int column, int role) const;
    QVariant fileData(const Node& node, int column, int role) const;

    std::vector<ReportChoice> m_choices;
    std::vector<size_t> m_sorted; // indices in m_choices
    std::vector<size_t> m_shown;  // elements of m_sorted that the filter shows
    QString m_filter;
    std::unique_ptr<Node> m_root;
    ColumnUnit m_sizeUnit, m_memoryUnit; // units of the columns Size and In memory
};

} // namespace lockstep
