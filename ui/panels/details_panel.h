// SPDX-License-Identifier: Apache-2.0
// DetailsPanel: everything known of the selected slice: its place and times, every argument the file holds
// (fetched from the file off the UI thread), the calls and kernels linked to it, what memory was alive, and
// where it stands in the file; or of the selected block of memory. UI thread.
#pragma once

#include "core/readers/reader.h"
#include "ui/async/latest_job.h"
#include "ui/panels/memory_details.h"
#include "ui/window/panel.h"

class QLabel;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace lockstep {

class ViewState;

class DetailsPanel : public Panel {
    Q_OBJECT

  public:
    // Follows the view's slice and reveals the linked ones. view outlives the panel.
    explicit DetailsPanel(ViewState& view, QWidget* parent = nullptr);

    void setTheme(const Theme& theme) override;
    bool isBusy() const override { return m_job.isRunning() || m_memory->isRunning(); }

    bool followsSelection() const override { return true; }

    QTreeWidget* tree() const { return m_tree; }
    // Name and value of the selected rows, or of all when none is, tab-separated.
    QString text() const;

  protected:
    void rebuild() override;

  private:
    void showSelected();
    void showSlice();
    void showBlock();
    void zoomToLife();
    QTreeWidgetItem* addSection(const QString& title);
    QTreeWidgetItem* addRow(QTreeWidgetItem* section, const QString& name, const QString& value);
    void addPlace(const Report& report, SliceId slice);
    void addLinks(const Report& report, SliceId slice);
    void addLink(QTreeWidgetItem* section, const Report& report, SliceId other, const QString& relation);
    void fetch(std::shared_ptr<const Report> report, SliceId slice);
    void takeDetails(const Result<SliceDetails>& outcome);
    void copy();

    ViewState& m_view;
    ScenePtr m_shown = std::make_shared<const Scene>(); // in which the slice was when it was last read
    SliceRef m_slice;
    BlockRef m_block;
    const Theme* m_theme = &lightTheme();
    QLabel* m_title;
    QLabel* m_subtitle;
    QWidget* m_head;
    QLabel* m_hint;
    QTreeWidget* m_tree;
    QPushButton* m_zoom; // of a block: to its life
    MemoryDetails* m_memory;
    QTreeWidgetItem* m_meaning = nullptr;
    QTreeWidgetItem* m_arguments = nullptr;
    QTreeWidgetItem* m_source = nullptr;
    LatestJob<SliceDetails> m_job;
};

} // namespace lockstep
