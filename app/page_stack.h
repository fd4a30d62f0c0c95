// SPDX-License-Identifier: Apache-2.0
// PageStack: the pages of a window, one of them in front, and what comes and goes with it: docks, status
// line, the tab in the strip, the commands that make sense there. UI thread.
#pragma once

#include <memory>
#include <vector>

#include <QStackedWidget>

#include "app/page.h"

namespace lockstep {

class PanelDocks;
class TopStrip;

class PageStack : public QStackedWidget {
    Q_OBJECT

  public:
    // All of them outlive the stack.
    PageStack(ActionTable& actions, TopStrip& strip, PanelDocks& docks, QWidget& statusLine);
    ~PageStack() override;

    // The first is in front. Tabs stand in the order in which their first page was added.
    void add(std::unique_ptr<Page> page);
    const std::vector<std::unique_ptr<Page>>& all() const { return m_all; }
    // The page of that class, which was added.
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
    // The page that stands there unless another was asked for; in front at once if the one before was.
    void setHome(Page& page);
    // Another page of the same tab stays.
    void showTab(const QString& title);
    void goHome();

  private:
    void showCurrent();
    void enableActions();
    void nameStep(ActionId id, const QString& word, const QString& what);

    ActionTable& m_actions;
    TopStrip& m_strip;
    PanelDocks& m_docks;
    QWidget& m_statusLine;
    std::vector<std::unique_ptr<Page>> m_all;
    Page* m_current = nullptr;
    Page* m_home = nullptr;
};

} // namespace lockstep
