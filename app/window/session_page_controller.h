// SPDX-License-Identifier: Apache-2.0
// SessionPageController is the Page that configures a run, with the commands of the "Session" menu. UI
// thread.
#pragma once

#include "app/window/page.h"
#include "app/window/window_parts.h"

namespace lockstep {

class SessionPage;

class SessionPageController : public Page {
    Q_OBJECT

  public:
    explicit SessionPageController(const WindowParts& parts);

    Tab tab() const override { return {tr("Session"), tr("Configure a run (Alt+1)")}; }
    QWidget* widget() const override;
    QString helpPage() const override { return "session"; }
    SessionPage& page() const { return *m_page; }
    void onActivated() override;
    bool openDropped(const std::filesystem::path& path) override;
    QUndoStack* undoStack() override;
    void setTheme(const Theme& theme) override;
    bool isBusy() const override;
    bool isModified() const override;
    TextPairs secrets() const override;
    void confirmClose(const std::function<void()>& leave) override;

  private:
    QWidget& m_window;
    SessionPage* m_page;
};

} // namespace lockstep
