// SPDX-License-Identifier: Apache-2.0
// ReportChoicePage is the page that shows the reports found in folders, before any of them is opened. It has
// a tree of check boxes, a filter and quick selections, and compares the memory needed by the selected files
// with the memory limit. All files are selected at first. The page asks before it opens many files, or files
// that do not fit into memory. UI thread.
#pragma once

#include <QWidget>

#include "ui/models/report_choice_model.h"
#include "ui/style/theme.h"

class QLabel;
class QLineEdit;
class QMenu;
class QPushButton;
class QSpinBox;
class QToolButton;
class QTreeView;

namespace lockstep {

class ReportChoicePage : public QWidget {
    Q_OBJECT

  public:
    explicit ReportChoicePage(QWidget* parent = nullptr);

    // `found` must not be null; `sorted` must be the result of sortedChoices() for it.
    void setFound(std::shared_ptr<const FoundReports> found, SortedChoices sorted);
    // used_bytes: memory used by open reports. machine_bytes: total memory of this machine. hasDisk: if
    // true, reports that exceed the limit are stored on disk.
    void setMemory(uint64_t used_bytes, uint64_t limit_bytes, uint64_t machine_bytes, bool hasDisk = false);
    void setTheme(const Theme& theme);

    ReportChoiceModel& model() { return *m_model; }
    QTreeView* tree() const { return m_tree; }
    QLineEdit* filterField() const { return m_filter; }

  signals:
    // chosen: indices into found.reports.
    void loadRequested(const FoundReports& found, const std::vector<size_t>& chosen);
    void dismissed();
    void memoryPercentChanged(int percent);

  protected:
    void keyPressEvent(QKeyEvent* event) override;

  private:
    QWidget* makeTools();
    QWidget* makeFooter();
    void makeTree();
    QToolButton* addQuickChoice(const QString& text, const QString& tooltip, QWidget* parent);
    void addQuickMenu(const QString& text, const QString& part, QWidget* parent);
    void fillQuickMenu(QMenu& menu, const QString& part);
    void load();
    bool fits(const ChoiceTotals& totals) const;
    void expand();
    void showTotals();

    std::shared_ptr<const FoundReports> m_found = std::make_shared<const FoundReports>();
    ReportChoiceModel* m_model;
    QLabel* m_title;
    QLabel* m_subtitle;
    QLineEdit* m_filter;
    QTreeView* m_tree;
    QLabel* m_totals;
    QSpinBox* m_percent;
    QLabel* m_machine;
    QPushButton* m_load;
    uint64_t m_used_bytes = 0;
    uint64_t m_limit_bytes = 0;
    bool m_hasDisk = false;
};

} // namespace lockstep
