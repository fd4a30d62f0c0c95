// SPDX-License-Identifier: Apache-2.0
// ReportsPanel shows the files of the workspace: a tree of the open reports with check boxes, and below it
// the files that are being opened or failed to open. The panel only shows entries and requests changes; the
// WorkspaceController makes the changes. UI thread.
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
    // `list` must outlive the panel.
    explicit ReportsPanel(const ReportList& list, QWidget* parent = nullptr);

    void setTheme(const Theme& theme) override;
    // Shows the collection status of the run, e.g. "47 of 48 reports collected, 1 missing". The text is
    // cleared when the last report is closed.
    void setFooter(const QString& text);
    QString foot() const;
    // Sets the hits of the window's search. The panel shows the number of hits per report. null if the hits
    // are not known.
    void setHits(std::shared_ptr<const EventHits> hits);
    // Sets the reports whose lanes are all hidden in the timeline, in ascending order. The panel dims them.
    void setHiddenLanes(std::vector<ReportKey> reports);
    QTreeView* tree() const { return m_tree; }

  signals:
    void showRequested(const std::vector<ReportKey>& keys, bool isShown);
    void closeRequested(const std::vector<ReportKey>& keys);
    void compareRequested(const std::vector<ReportKey>& a,
                          const std::vector<ReportKey>& b); // b may be empty
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
    std::vector<ReportKey> selectedKeys() const; // in ascending order
    void closeSelected();

    const ReportList& m_list;
    QLabel* m_hint;
    QTreeView* m_tree;
    QLabel* m_footer;
    ReportTreeModel* m_model;
    LoadList* m_loads;
};

} // namespace lockstep
