// SPDX-License-Identifier: Apache-2.0
// MemoryPanelSite: a memory panel in a window of its own, as wide and as low as the dock of a small screen.
// Tests of the panel inherit it.
#pragma once

#include <memory>

#include <QTest>

#include "tests/support/workers.h"
#include "ui/memory/memory_panel.h"
#include "ui/window/view_state.h"

namespace lockstep::test {

class MemoryPanelSite {
  protected:
    // A new one; the one before is gone. For init().
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
    void settle() { QTRY_VERIFY_WITH_TIMEOUT(!m_panel->isBusy(), 20'000); }

    std::unique_ptr<ViewState> m_view;
    std::unique_ptr<MemoryPanel> m_panel;
};

} // namespace lockstep::test
