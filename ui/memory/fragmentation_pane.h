// SPDX-License-Identifier: Apache-2.0
// FragmentationPane shows free memory in the allocator's pool over time. Its table lists the segments that
// cannot be released because they contain live blocks, at the cursor or at the point in time with the most
// free memory. Workers compute both. UI thread.
#pragma once

#include "core/analysis/memory_tables/stack_tables.h"
#include "ui/async/latest_job.h"
#include "ui/memory/area_view.h"
#include "ui/memory/memory_pane.h"

class QLabel;

namespace lockstep {

class TableModel;
class TableView;

class FragmentationPane : public MemoryPane {
    Q_OBJECT

  public:
    explicit FragmentationPane(QWidget* parent = nullptr);
    ~FragmentationPane() override;

    void setTheme(const Theme& theme) override;
    bool isBusy() const override { return m_picture.isRunning() || m_tables.isRunning(); }
    AreaView* chart() const { return m_chart; }
    TableView* view() const { return m_view; }
    QButtonGroup* choice() const { return m_choice; }
    const Table* table() const;
    // Returns one sentence about the free memory at the point in time that the table shows.
    QString momentText() const;

  protected:
    void refresh() override;
    void factsArrived() override;
    void pointedChanged(bool hasMoved) override;

  private:
    struct Segments {
        TablePtr table;
        Fragmentation at;
        bool isOverTime = false;
    };

    void computePicture();
    void computeTable();
    void take(Result<Segments> made);
    void showCursorText();
    // Returns the cursor position; without a cursor, the drawn point in time with the most free memory.
    std::optional<MemoryMoment> moment() const;

    AreaView* m_chart;
    QButtonGroup* m_choice = nullptr;
    TableModel* m_model;
    TableView* m_view;
    QLabel* m_moment;
    QLabel* m_under;
    LatestJob<std::shared_ptr<const AreaPicture>> m_picture;
    LatestJob<Segments> m_tables;
};

} // namespace lockstep
