// SPDX-License-Identifier: Apache-2.0
// PanelDocks: the docks around the pages, one for each panel: where they stand, which is in front, how a page
// of its own puts them away for a while, and their entries in the menu. UI thread.
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

    // Docks of one area lie over each other in the order in which they were added.
    void add(Panel* panel);
    std::vector<Panel*> panels() const;
    // The panel of that class, which was added.
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
    // A panel of something that is not there has no tab, no entry in the menu, and is in no layout.
    void setPresent(const Panel& panel, bool isPresent);
    // Hides the panels at the bottom, or shows them when none is; floating ones stay as they are.
    void fold();
    // The panels at the bottom have the whole window, the others and the page are hidden; or all is as
    // before.
    void toggleFullHeight();
    bool isFullHeight() const { return !m_beforeFull.isEmpty(); }
    // The one with the keyboard, else nullptr.
    Panel* inHand() const;
    // The one at the bottom that can be seen; nullptr: none can.
    Panel* inFront() const;
    // Adds entries that show, hide and float each.
    void fillMenu(QMenu& menu);

    // To their sizes in a new window: for the window's present size.
    void arrange();
    // All where they are in a new window; put away, once they are brought back.
    void forget();
    QByteArray layout() const;
    // False for no layout of this version of the window; nothing changes then.
    bool restore(const QByteArray& layout);
    // Out of sight until they are brought back as they were.
    void putAway();
    void bringBack();

  signals:
    void fullHeightChanged(bool isFull);
    void summaryChanged(const QString& text); // of any panel

  private:
    QDockWidget* dockOf(const Panel& panel) const;
    void bringToFront(QDockWidget* dock);
    void takeTurn(QDockWidget* dock);
    std::vector<QDockWidget*> docksIn(Qt::DockWidgetArea area) const; // that are present
    void hideAbsent() const;

    QMainWindow& m_window;
    std::vector<QDockWidget*> m_docks;
    QByteArray m_new; // their layout in a new window
    std::set<const QDockWidget*> m_absent;
    QByteArray m_beforeFull; // their layout before they had the full height; else empty
    QByteArray m_kept;       // their layout while they are put away; else empty
};

} // namespace lockstep
