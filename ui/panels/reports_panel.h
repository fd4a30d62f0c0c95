// SPDX-License-Identifier: Apache-2.0
// ReportsPanel: the files of the workspace: a tree of the open ones with check boxes, and below it those
// being opened or failed. It shows entries and asks for changes; the owner of the loads makes them. UI
// thread.
#pragma once

#include <memory>
#include <vector>

#include "ui/models/report_entry.h"
#include "ui/window/panel.h"

class QLabel;
class QTreeView;

namespace lockstep {

class EventHits;
class LoadList;
class ReportList;
class ReportTreeModel;

class ReportsPanel : public Panel {
    Q_OBJECT

  public:
    // list outlives the panel.
    explicit ReportsPanel(const ReportList& list, QWidget* parent = nullptr);

    void setTheme(const Theme& theme) override;
    // What the run behind the reports left, e.g. "ledger 47/48, 1 missing"; gone with the last report.
    void setFoot(const QString& text);
    QString foot() const;
    // Of the window's search, counted by report; null: none are known.
    void setHits(std::shared_ptr<const EventHits> hits);
    QTreeView* tree() const { return m_tree; }
    LoadList* loadList() const { return m_loads; }

  signals:
    void showRequested(const std::vector<ReportKey>& keys, bool isShown);
    void closeRequested(const std::vector<ReportKey>& keys);
    void compareRequested(const std::vector<ReportKey>& a,
                          const std::vector<ReportKey>& b); // b: may be empty
    void reportActivated(ReportKey key);
    void cancelRequested(ReportKey key);
    void retryRequested(ReportKey key);
    void dismissRequested(ReportKey key);

  protected:
    void rebuild() override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void connectTree();
    void showProgress();
    void showMenu(QPoint position);
    std::vector<ReportKey> selectedKeys() const; // ascending
    void closeSelected();

    const ReportList& m_list;
    QLabel* m_hint;
    QTreeView* m_tree;
    QLabel* m_foot;
    ReportTreeModel* m_model;
    LoadList* m_loads;
};

} // namespace lockstep
