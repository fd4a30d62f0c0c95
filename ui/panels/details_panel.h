// SPDX-License-Identifier: Apache-2.0
// DetailsPanel shows everything known about the selected slice: its lane and times, every argument in the
// file (read off the UI thread), linked calls and kernels, live memory, and its location in the file. For a
// selected memory block it shows the block. UI thread.
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
    // Follows the slice that is selected in `view`, and reveals linked slices in `view`. `view` must outlive
    // the panel.
    explicit DetailsPanel(ViewState& view, QWidget* parent = nullptr);

    void setTheme(const Theme& theme) override;
    bool isBusy() const override { return m_job.isRunning() || m_memory->isRunning(); }

    bool followsSelection() const override { return true; }

    QTreeWidget* tree() const { return m_tree; }
    // Returns the names and values of the selected rows (all rows if none is selected), tab-separated.
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
    void addSliceSection(const Report& report, SliceId slice);
    void addContext(const Report& report, SliceId slice);
    void addProjections(const Report& report, SliceId slice);
    // Shows what the server ran together with the request.
    void addBatch();
    void addLinks(const Report& report, SliceId slice);
    void addLink(QTreeWidgetItem* section, const Report& report, SliceId other, const QString& relation);
    // Adds a row with the number of entries beyond the limit.
    void addMore(QTreeWidgetItem* section, size_t count);
    void fetch(std::shared_ptr<const Report> report, SliceId slice);
    void applyDetails(const Result<SliceDetails>& outcome);
    void copy();

    ViewState& m_view;
    ScenePtr m_shown = std::make_shared<const Scene>(); // scene in which m_slice was last read
    SliceRef m_slice;
    BlockRef m_block;
    const Theme* m_theme = &lightTheme();
    QLabel* m_title;
    QLabel* m_subtitle;
    QWidget* m_header;
    QLabel* m_hint;
    QTreeWidget* m_tree;
    QPushButton* m_zoom; // button that zooms to the lifetime of the block
    MemoryDetails* m_memory;
    QTreeWidgetItem* m_meaning = nullptr;
    QTreeWidgetItem* m_arguments = nullptr;
    QTreeWidgetItem* m_source = nullptr;
    LatestJob<SliceDetails> m_job;
};

} // namespace lockstep
