// SPDX-License-Identifier: Apache-2.0
// MemoryPanelSite holds a memory panel in its own window, with the size of the dock on a small screen.
// Tests of the panel inherit from it.
#pragma once

#include <memory>

#include <QTest>

#include "tests/support/patience.h"
#include "tests/support/workers.h"
#include "ui/memory/memory_panel.h"
#include "ui/window/view_state.h"

namespace lockstep::test {

class MemoryPanelSite {
  protected:
    // Makes a new panel and deletes the previous one. For init().
    void makePanel()
    {
        m_panel.reset();
        m_view = std::make_unique<ViewState>();
        m_panel = std::make_unique<MemoryPanel>(*m_view);
        m_panel->setTheme(lightTheme());
        m_panel->resize(1280, 420);
        m_panel->show();
    }
    void show(const Workspace& workspace)
    {
        m_panel->setScene(makeScene(workspace, alignReports(workspace, {}), workers()));
        settle();
    }
    void settle() { QTRY_VERIFY(!m_panel->isBusy()); }

    std::unique_ptr<ViewState> m_view;
    std::unique_ptr<MemoryPanel> m_panel;
};

} // namespace lockstep::test
