// SPDX-License-Identifier: Apache-2.0
// Panel: what stands in one dock of the window. It is told of every scene, but shows only the newest, and
// that only while it can be seen: a panel behind another or in a closed dock does nothing. Made by a line of
// the window's list of panels. UI thread.
#pragma once

#include <QWidget>

#include "core/scene/scene.h"
#include "ui/style/theme.h"

namespace lockstep {

class Panel : public QWidget {
    Q_OBJECT

  public:
    // Where its dock is in a new window.
    struct Place {
        Qt::DockWidgetArea area = Qt::BottomDockWidgetArea;
        bool isInFront = false;     // of those in the same area
        const char* help = "index"; // name of its page in resources/help
    };

    Panel(const QString& title, Place place, QWidget* parent = nullptr);

    // Of the dock, its tab and its entry in the menu.
    const QString& title() const { return m_title; }
    // Of the dock; a saved layout knows it by this.
    QString dockName() const { return "dock " + m_title; }
    Place place() const { return m_place; }
    QString helpPage() const { return m_place.help; }

    // Never null.
    void setScene(ScenePtr scene);
    const ScenePtr& scene() const { return m_scene; }
    // False while another panel lies over this one, which Qt counts as visible.
    void setUncovered(bool isUncovered);
    virtual void setTheme(const Theme& theme) = 0;
    // True while something is fetched or computed that will be shown.
    virtual bool isBusy() const { return false; }
    // True while what is selected in the timeline is told here, in front: nothing else should come over it.
    virtual bool tellsSelection() const { return false; }

    // True where what is shown is what is selected: such a panel gives way to another of its kind.
    virtual bool followsSelection() const { return false; }
    // It can be seen, and no other panel lies over it.
    bool isInFront() const { return canBeSeen(); }

  signals:
    // Of the selected cells, for the status line.
    void summaryChanged(const QString& text);
    // Something new stands here: the panel should be in front, if its dock is open at all.
    void frontRequested();
    // The same, but only in place of a panel that follows the selection; over any other its tab is marked.
    void turnRequested();
    // "findings#Late ranks": a help page, and maybe a section of it.
    void helpRequested(const QString& place);

  protected:
    // Shows what is so now. Called while the panel can be seen, once for all that changed before, and once
    // all reports are closed.
    virtual void rebuild() = 0;
    // What is shown is out of date: rebuilds now, or once the panel can be seen.
    void outdate();
    bool canBeSeen() const { return isVisible() && m_isUncovered; }

    void showEvent(QShowEvent* event) override;

  private:
    void catchUp(bool isAlsoHidden = false);

    const QString m_title;
    const Place m_place;
    ScenePtr m_scene = std::make_shared<const Scene>();
    bool m_isUncovered = true;
    bool m_isOutdated = true;
};

} // namespace lockstep
