// SPDX-License-Identifier: Apache-2.0
// ReportChoiceModel: files found in folders, before any is opened, as a tree of run, role, rank and step with
// tick boxes. A level that nothing is known of is left out; beside known ones the unknown stand last and say
// so. Made for tens of thousands of files. UI thread.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <QAbstractItemModel>

#include "core/readers/report_search.h"

namespace lockstep {

// What a file's name and folders tell, ready to be shown and compared.
struct ReportChoice {
    std::filesystem::path path;
    FoundFile file;
    std::string tool;       // "nsys", "torch" ...; the reader's word where the name tells none
    std::string searchText; // lower case
    std::string label;      // its name; where others have that too, with the folders that tell them apart
    bool isTicked = false;
};

// All files of a walk in the order of the tree.
struct SortedChoices {
    std::vector<ReportChoice> choices; // by position in what was found
    std::vector<size_t> order;         // positions
};
// Any thread; takes a while for tens of thousands.
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
    // Words that must all fit: "step:3" is exact, also role, rank, tool, run and host; any other word is
    // looked for in the path. Ticks stay, also of what is not shown.
    void setFilter(const QString& text);
    // By position in what was found.
    const std::vector<ReportChoice>& choices() const { return m_choices; }
    std::vector<size_t> ticked() const;
    size_t shownCount() const { return m_shown.size(); }
    // Ticks what the filter shows and `fits` accepts, and nothing else.
    void tickOnly(const std::function<bool(const ReportChoice&)>& fits);
    ChoiceTotals totals() const; // of the ticked

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
    void tellTicks();
    QVariant groupData(const Node& node, int column, int role) const;
    QVariant fileData(const Node& node, int column, int role) const;

    std::vector<ReportChoice> m_choices;
    std::vector<size_t> m_sorted; // positions in m_choices
    std::vector<size_t> m_shown;  // those of m_sorted that the filter shows
    QString m_filter;
    std::unique_ptr<Node> m_root;
};

} // namespace lockstep
