// ReportsPanel: the files of the workspace: a tree of the open ones with check boxes, and below it those
// being opened or failed. It shows entries and asks for changes; the owner of the loads makes them. UI
// thread.
#pragma once

#include <vector>

#include <QWidget>

#include "ui/models/report_entry.h"
#include "ui/style/theme.h"

class QLabel;
class QTreeView;

namespace lockstep {

class LoadList;
class ReportTreeModel;

class ReportsPanel : public QWidget {
    Q_OBJECT

  public:
    explicit ReportsPanel(QWidget* parent = nullptr);

    void setEntries(const std::vector<ReportEntry>& entries);
    // The same entries, of which only the fractions of loading ones moved.
    void setProgress(const std::vector<ReportEntry>& entries);
    void setTheme(const Theme& theme);
    // What the run behind the reports left, e.g. "ledger 47/48, 1 missing"; gone with the last report.
    void setFoot(const QString& text);
    QString foot() const;
    QTreeView* tree() const { return m_tree; }
    LoadList* loadList() const { return m_loads; }

  signals:
    void showRequested(const std::vector<ReportKey>& keys, bool isShown);
    void closeRequested(const std::vector<ReportKey>& keys);
    void reportActivated(ReportKey key);
    void cancelRequested(ReportKey key);
    void retryRequested(ReportKey key);
    void dismissRequested(ReportKey key);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void connectTree();
    void showMenu(QPoint position);
    void closeSelected();

    QLabel* m_hint;
    QTreeView* m_tree;
    QLabel* m_foot;
    ReportTreeModel* m_model;
    LoadList* m_loads;
};

} // namespace lockstep
