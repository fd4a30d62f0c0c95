// SPDX-License-Identifier: Apache-2.0
// DropOverlay accepts files and folders that are dropped onto a window. While the user drags them over the
// window, a hint covers the window. The overlay is an event filter of its window. UI thread.
#pragma once

#include <filesystem>
#include <vector>

#include <QWidget>

#include "ui/style/theme.h"

namespace lockstep {

class DropOverlay : public QWidget {
    Q_OBJECT

  public:
    explicit DropOverlay(QWidget* window);

    void setTheme(const Theme& theme) { m_theme = &theme; }

  signals:
    // `paths` is never empty.
    void dropped(const std::vector<std::filesystem::path>& paths);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    void appear();

    const Theme* m_theme = &lightTheme();
};

} // namespace lockstep
