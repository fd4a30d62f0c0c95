// SPDX-License-Identifier: Apache-2.0
// ElidedLabel: a label of one line of plain text that may be narrower than its text; the cut text ends with
// an ellipsis. text() stays whole. UI thread.
#pragma once

#include <QLabel>

namespace lockstep {

class ElidedLabel : public QLabel {
  public:
    explicit ElidedLabel(QWidget* parent = nullptr);

    // The text as painted.
    QString shownText() const;

  protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace lockstep
