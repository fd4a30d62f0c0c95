// SPDX-License-Identifier: Apache-2.0
// ElidedLabel is a one-line plain-text label that may be narrower than its text; elided text ends with an
// ellipsis. text() returns the full text. UI thread.
#pragma once

#include <QLabel>

namespace lockstep {

class ElidedLabel : public QLabel {
  public:
    explicit ElidedLabel(QWidget* parent = nullptr);

    // Returns the painted text, which may be elided.
    QString shownText() const;

  protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace lockstep
