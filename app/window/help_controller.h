// SPDX-License-Identifier: Apache-2.0
// HelpController opens the help pages of a window: the help page of the focused panel; if no panel has the
// focus, that of the current page; or a help page that a panel requests. UI thread.
#pragma once

#include <QObject>
#include <QPointer>

#include "app/window/window_parts.h"
#include "ui/help/help_window.h"

namespace lockstep {

class HelpController : public QObject {
    Q_OBJECT

  public:
    // Construct after the pages and panels.
    explicit HelpController(const WindowParts& parts);

    // Opens a help page; see HelpWindow::open().
    void open(const QString& place);
    void openContextHelp();
    // Shows a notice about what's new, once after each update. Shows none on the first start.
    void showNews();
    HelpWindow* window() const { return m_window; }

  private:
    const WindowParts m_parts;
    QPointer<HelpWindow> m_window;
};

} // namespace lockstep
