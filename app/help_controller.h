// SPDX-License-Identifier: Apache-2.0
// HelpController: the help pages of a window: opens that of what is in hand (a panel, else the page in
// front), or of what asks for one. UI thread.
#pragma once

#include <QObject>
#include <QPointer>

#include "app/window_parts.h"
#include "ui/help/help_window.h"

namespace lockstep {

class HelpController : public QObject {
    Q_OBJECT

  public:
    // After pages and panels were added.
    explicit HelpController(const WindowParts& parts);

    // See HelpWindow::open().
    void open(const QString& place);
    void openOfWhatIsInHand();
    // Once for each version that the settings do not know yet; never on the first run.
    void tellNews();
    HelpWindow* window() const { return m_window; }

  private:
    const WindowParts m_parts;
    QPointer<HelpWindow> m_window;
};

} // namespace lockstep
