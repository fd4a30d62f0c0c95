// SPDX-License-Identifier: Apache-2.0
// PageStack holds the pages of a window and shows one of them, together with its docks, status line, tab in
// the strip and enabled commands. UI thread.
#pragma once

#include <memory>
#include <vector>

#include <QStackedWidget>

#include "app/window/page.h"

namespace lockstep {

class PanelDocks;
class TopStrip;

class PageStack : public QStackedWidget {
    Q_OBJECT

  public:
    // All arguments outlive the stack.
    PageStack(CommandActions& actions, TopStrip& strip, PanelDocks& docks, QWidget& statusLine);
    ~PageStack() override;

    // Adds a page. The first page added is in front; tabs appear in the order of their first pages.
    void add(std::unique_ptr<Page> page);
    const std::vector<std::unique_ptr<Page>>& all() const { return m_all; }
    // Returns the page of class T, which must have been added.
    template<class T>
    T& at() const
    {
        for (const auto& page : m_all) {
            if (auto* const found = qobject_cast<T*>(page.get())) return *found;
        }
        Q_UNREACHABLE();
    }
    Page& current() const { return *m_current; }
    void bringToFront(Page& page);
    // Sets the default page. Shows it at once if the previous default page is in front.
    void setHome(Page& page);
    // Shows the tab with this title. Does not change the page if a page of the tab is already in front.
    void showTab(const QString& title);
    void goHome();

  private:
    void showCurrent();
    void enableActions();
    void nameStep(CommandId id, const QString& word, const QString& what);

    CommandActions& m_actions;
    TopStrip& m_strip;
    PanelDocks& m_docks;
    QWidget& m_statusLine;
    std::vector<std::unique_ptr<Page>> m_all;
    Page* m_current = nullptr;
    Page* m_home = nullptr;
};

} // namespace lockstep
