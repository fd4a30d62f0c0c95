// DetailsPanel: everything known of the selected slice: its place and times, every argument the file holds
// (fetched from the file off the UI thread), the calls and kernels linked to it, and where it stands in the
// file. UI thread.
#pragma once

#include <QWidget>

#include "core/readers/reader.h"
#include "core/scene/scene.h"
#include "ui/async/latest_job.h"
#include "ui/style/theme.h"

class QLabel;
class QTreeWidget;
class QTreeWidgetItem;

namespace lockstep {

class DetailsPanel : public QWidget {
    Q_OBJECT

  public:
    explicit DetailsPanel(QWidget* parent = nullptr);

    // Never null. The slice stays as long as its report is shown.
    void setScene(ScenePtr scene);
    // An invalid slice empties the panel.
    void setSlice(SliceRef slice);
    void setTheme(const Theme& theme);

    QTreeWidget* tree() const { return m_tree; }
    bool isFetching() const { return m_job.isRunning(); }
    // Name and value of the selected rows, or of all when none is, tab-separated.
    QString text() const;

  signals:
    // A linked slice was clicked.
    void sliceActivated(SliceRef slice);

  private:
    QTreeWidgetItem* addSection(const QString& title);
    QTreeWidgetItem* addRow(QTreeWidgetItem* section, const QString& name, const QString& value);
    void addPlace(const Report& report, SliceId slice);
    void addLinks(const Report& report, SliceId slice);
    void addLink(QTreeWidgetItem* section, const Report& report, SliceId other, const QString& relation);
    void fetch(std::shared_ptr<const Report> report, SliceId slice);
    void takeDetails(const Result<SliceDetails>& outcome);
    void copy();

    ScenePtr m_scene = std::make_shared<const Scene>();
    SliceRef m_slice;
    const Theme* m_theme = &lightTheme();
    QLabel* m_title;
    QLabel* m_subtitle;
    QWidget* m_head;
    QLabel* m_hint;
    QTreeWidget* m_tree;
    QTreeWidgetItem* m_arguments = nullptr;
    QTreeWidgetItem* m_source = nullptr;
    LatestJob<SliceDetails> m_job;
};

} // namespace lockstep
