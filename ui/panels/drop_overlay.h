// SPDX-License-Identifier: Apache-2.0
// DropOverlay: the taking of files and folders that are dragged onto a window, and the sign over all of it
// that they may be let go. Watches the window it was made for. UI thread.
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
    // Never empty.
    void dropped(const std::vector<std::filesystem::path>& paths);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    void appear();

    const Theme* m_theme = &lightTheme();
};

} // namespace lockstep
