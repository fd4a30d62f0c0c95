// SPDX-License-Identifier: Apache-2.0
// Panel is the content of one dock of the window. A panel receives every scene but shows only the newest, and
// only while it is visible: a panel that is covered by another one or is in a closed dock does no work. The
// window creates panels from its list of panels. UI thread.
#pragma once

#include <QWidget>

#include "core/scene/scene.h"
#include "ui/style/theme.h"

namespace lockstep {

class Panel : public QWidget {
    Q_OBJECT

  public:
    // Placement is the default position of the panel's dock in a new window.
    struct Placement {
        Qt::DockWidgetArea area = Qt::BottomDockWidgetArea;
        bool isInFront = false;     // true if the dock is in front of the other docks in the same area
        const char* help = "index"; // help page in resources/help, optionally followed by "#" and a section
    };

    Panel(const QString& title, Placement placement, QWidget* parent = nullptr);

    // Title of the dock, of its tab and of its menu entry.
    const QString& title() const { return m_title; }
    Placement placement() const { return m_placement; }
    QString helpPage() const { return m_placement.help; }

    // Sets the newest scene; never null.
    void setScene(ScenePtr scene);
    const ScenePtr& scene() const { return m_scene; }
    // Sets whether no other panel covers this one. This is needed because Qt considers a covered dock
    // visible.
    void setUncovered(bool isUncovered);
    virtual void setTheme(const Theme& theme) = 0;
    // Returns true while data to be shown is being fetched or computed.
    virtual bool isBusy() const { return false; }
    // Returns true while the panel is in front and shows the timeline's selection, so that no other panel
    // should cover it.
    virtual bool showsSelection() const { return false; }

    // Returns true if the panel shows the selection. Such a panel may be covered by another panel that also
    // shows the selection.
    virtual bool followsSelection() const { return false; }
    // Returns true if the panel is visible and no other panel covers it.
    bool isInFront() const { return isEffectivelyVisible(); }

  signals:
    // Emitted with a summary of the selected cells for the status line.
    void summaryChanged(const QString& text);
    // Requests to raise the panel because of new content, if its dock is open.
    void frontRequested();
    // Like frontRequested(), but the panel is raised only if the panel in front follows the selection.
    // Otherwise only the tab of this panel is marked.
    void attentionRequested();
    // Requests a help page, optionally with a section: "findings#Late ranks".
    void helpRequested(const QString& page);

  protected:
    // Shows the current data. Called only while the panel is visible, once for all preceding changes, and
    // also after the last report was closed.
    virtual void rebuild() = 0;
    // Rebuilds now, or as soon as the panel is visible. Call if the displayed data is out of date.
    void outdate();
    bool isEffectivelyVisible() const { return isVisible() && m_isUncovered; }
    // Returns the hint of a panel for the selected range if there is none.
    static QString noRangeText();

    void showEvent(QShowEvent* event) override;

  private:
    void catchUp(bool isAlsoHidden = false);

    const QString m_title;
    const Placement m_placement;
    ScenePtr m_scene = std::make_shared<const Scene>();
    bool m_isUncovered = true;
    bool m_isOutdated = true;
};

} // namespace lockstep
