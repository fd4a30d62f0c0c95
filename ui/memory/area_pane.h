// SPDX-License-Identifier: Apache-2.0
// AreaPane shows memory over time as stacked areas, with controls for the grouping, the number of areas
// (detail slider) and the axis. A line of text describes the area under the cursor. UI thread.
#pragma once

#include "ui/async/latest_job.h"
#include "ui/memory/area_view.h"
#include "ui/memory/memory_pane.h"

class QLabel;
class QPushButton;
class QSlider;

namespace lockstep {

class AreaPane : public MemoryPane {
    Q_OBJECT

  public:
    AreaPane(AreaKind kind, const QString& name, const QString& caption, QWidget* parent = nullptr);
    ~AreaPane() override;

    void setTheme(const Theme& theme) override;
    bool isBusy() const override { return m_job.isRunning(); }
    AreaView* view() const { return m_view; }
    QSlider* detail() const { return m_detail; }
    QString cursorText() const;
    bool showsBlocks() const override { return m_kind != AreaKind::segments; }

  protected:
    void refresh() override;
    void factsArrived() override;
    void pointedChanged(bool hasMoved) override;

  private:
    void makeControls();
    void offer();
    void makeFooter();
    void compute();
    void showDetailText();
    void showCursorText();
    void pick();

    const AreaKind m_kind;
    const QString m_caption;
    QButtonGroup* m_by = nullptr; // null if the pane shows segments
    QLabel* m_note = nullptr;
    QButtonGroup* m_axis = nullptr;
    QSlider* m_detail = nullptr;
    QLabel* m_detailText = nullptr;
    AreaView* m_view;
    QLabel* m_under = nullptr;
    QPushButton* m_state = nullptr;
    QPushButton* m_timeline = nullptr;
    LatestJob<std::shared_ptr<const AreaPicture>> m_job;
};

} // namespace lockstep
