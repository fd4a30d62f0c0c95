// SPDX-License-Identifier: Apache-2.0
// CrumbBar is the breadcrumb of zoom steps: a button for each range from the whole workspace to the visible
// range. If the bar is too narrow for all of them, an ellipsis replaces the oldest steps after the first.
// No button is ever clipped. UI thread.
#pragma once

#include <vector>

#include <QWidget>

#include "ui/models/zoom_trail.h"

class QLabel;
class QPushButton;

namespace lockstep {

class CrumbBar : public QWidget {
    Q_OBJECT

  public:
    explicit CrumbBar(QWidget* parent = nullptr);

    void setTrail(const ZoomTrail& trail);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

  signals:
    void zoomRequested(TimeRange range);

  protected:
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

  private:
    // A button, and the arrow before it (nullptr for the first).
    struct Crumb {
        QLabel* arrow;
        QPushButton* button;
    };

    int widthOf(const Crumb& crumb) const;
    void place();

    std::vector<Crumb> m_crumbs;
    QLabel* m_ellipsis;
};

} // namespace lockstep
