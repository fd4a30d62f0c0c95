// SPDX-License-Identifier: Apache-2.0
// ToggleSwitch: a check box drawn as a switch. UI thread.
#pragma once

#include <QCheckBox>

#include "ui/style/theme.h"

namespace lockstep {

class ToggleSwitch : public QCheckBox {
    Q_OBJECT

  public:
    using QCheckBox::QCheckBox;

    void setTheme(const Theme& theme);
    QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool hitButton(const QPoint& position) const override;

  private:
    const Theme* m_theme = &lightTheme();
};

} // namespace lockstep
