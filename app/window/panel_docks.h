// SPDX-License-Identifier: Apache-2.0
// PanelDocks manages the docks around the pages, one dock per panel: it manages the positions of the docks,
// which of them is in front, and their menu entries, and hides them while a page without docks is shown. UI
// thread.
#pragma once

#include <set>
#include <vector>

#include <QByteArray>
#include <QObject>

class QDockWidget;
class QMainWindow;
class QMenu;

namespace lockstep {

class Panel;

class PanelDocks : public QObject {
    Q_OBJECT

  public:
    explicit PanelDocks(QMainWindow& window);

    // Adds a dock for `panel`, as the last tab of its area. `savedName` identifies the dock in saved layouts
    // and must not change between versions.
    void add(Panel* panel, const QString& savedName);
    std::vector<Panel*> panels() const;
    // Returns the panel of class T, which must have been added.
    template<class T>
    T& at() const
    {
        for (Panel* const panel : panels()) {
            if (auto* const found = qobject_cast<T*>(panel)) return *found;
        }
        Q_UNREACHABLE();
    }
    void raise(const Panel& panel);
    void toggle(const Panel& panel);
    // Shows or removes the tab and the menu entry of a panel. An absent panel is hidden in every layout.
    void setPresent(const Panel& panel, bool isPresent);
    // Hides the bottom panels, or shows them if all are hidden. Floating panels do not change.
    void fold();
    // Expands the bottom panels to fill the window and hides the page and the other panels, or, if they are
    // expanded, restores the previous layout.
    void toggleFullHeight();
    bool isFullHeight() const { return !m_layoutBeforeFull.isEmpty(); }
    // Returns the panel with the keyboard focus, or nullptr.
    Panel* inFocus() const;
    // Returns the visible bottom panel, or nullptr if none is visible.
    Panel* inFront() const;
    // Adds menu entries that show, hide and float each panel.
    void fillMenu(QMenu& menu);

    // Resizes the docks to their defaults for the current window size.
    void arrange();
    // Restores the default layout at once, or in restoreDocks() if the docks are currently hidden by
    // hideDocks().
    void forget();
    QByteArray layout() const;
    // Returns false and changes nothing if `layout` was not saved with this kLayoutVersion.
    bool restore(const QByteArray& layout);
    // Hides all docks until restoreDocks() restores them.
    void hideDocks();
    void restoreDocks();

  signals:
    void fullHeightChanged(bool isFull);
    // Emitted with a summary of the cells that are selected in any panel.
    void summaryChanged(const QString& text);

  private:
    QDockWidget* dockOf(const Panel& panel) const;
    void bringToFront(QDockWidget* dock);
    void raiseOrBadge(QDockWidget* dock);
    std::vector<QDockWidget*> docksIn(Qt::DockWidgetArea area) const; // returns only docks that are present
    void hideAbsent() const;

    QMainWindow& m_window;
    std::vector<QDockWidget*> m_docks;
    QByteArray m_new; // default layout for a new window
    std::set<const QDockWidget*> m_absent;
    QByteArray m_layoutBeforeFull; // layout before full height was turned on; empty otherwise
    // Layout that restoreDocks() will restore; empty if the docks are not hidden by hideDocks().
    QByteArray m_layoutToRestore;
};

} // namespace lockstep
