// SPDX-License-Identifier: Apache-2.0
// FragmentationPane: what is free in the allocator's pool over time, and, at the moment of the cursor or the
// one with the most of it, the segments that blocks keep from being given back. Made off the UI thread. UI
// thread.
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
    // What is free at the moment that the segments are of, in one sentence.
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
    void tellCursor();
    // Of the cursor; else the one with the most free memory that is drawn.
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
