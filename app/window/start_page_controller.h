// SPDX-License-Identifier: Apache-2.0
// StartPageController is the Page of an empty window: it offers ways to open reports and shows why opening
// failed. UI thread.
#pragma once

#include "app/window/reports_page.h"
#include "app/window/window_parts.h"

namespace lockstep {

class StartPage;

class StartPageController : public ReportsPage {
    Q_OBJECT

  public:
    explicit StartPageController(const WindowParts& parts);

    QWidget* widget() const override;
    bool hasDocks() const override { return true; }
    bool isBusy() const override;

  private:
    void showRecent();

    WindowParts m_parts;
    StartPage* m_page;
};

} // namespace lockstep
