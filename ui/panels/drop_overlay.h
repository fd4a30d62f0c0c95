// DropOverlay: the sign over a whole window that files may be let go. Shown while a drag with files is over the window;
// takes no input itself. UI thread.
#pragma once

#include <filesystem>
#include <vector>

#include <QWidget>

#include "ui/style/theme.h"

class QMimeData;

namespace lockstep {

class DropOverlay : public QWidget {
    Q_OBJECT

  public:
    explicit DropOverlay(QWidget* window);

    void setTheme(const Theme& theme) { m_theme = &theme; }
    // Covers the window it was made for.
    void appear();

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    const Theme* m_theme = &lightTheme();
};

// The local files and folders of a drag; empty when it carries none.
std::vector<std::filesystem::path> droppedPaths(const QMimeData& mime);

} // namespace lockstep
