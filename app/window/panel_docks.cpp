// SPDX-License-Identifier: Apache-2.0
#include "app/window/panel_docks.h"

#include <algorithm>

#include <QApplication>
#include <QDockWidget>
#include <QMainWindow>
#include <QMenu>

#include "ui/style/style_sheet.h"
#include "ui/window/panel.h"

namespace lockstep {

namespace {

constexpr int kLayoutVersion = 4; // version passed to saveState(); increment when a dock is added

Panel* panelIn(const QDockWidget* dock)
{
    return qobject_cast<Panel*>(dock->widget());
}

// Removes the title bar of a docked panel, because its tab or caption already shows the title. A floating
// panel needs the title bar for moving.
void giveTitleWhenFloating(QDockWidget* dock)
{
    dock->setTitleBarWidget(new QWidget(dock));
    QObject::connect(dock, &QDockWidget::topLevelChanged, dock, [dock](bool isFloating) {
        QWidget* const old = dock->titleBarWidget();
        dock->setTitleBarWidget(isFloating ? nullptr : new QWidget(dock));
        if (old != nullptr) old->deleteLater();
    });
}

} // namespace

PanelDocks::PanelDocks(QMainWindow& window) : m_window(window)
{
    window.setDockOptions(QMainWindow::AllowTabbedDocks | QMainWindow::AllowNestedDocks);
    window.setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    window.setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    window.setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
}

void PanelDocks::add(Panel* panel, const QString& savedName)
{
    const Panel::Placement placement = panel->placement();
    if (placement.area == Qt::BottomDockWidgetArea) {
        panel->setMinimumHeight(scaledPixels(90));
    } else {
        panel->setMinimumWidth(scaledPixels(140));
    }
    auto* const dock = new QDockWidget(panel->title(), &m_window);
    dock->setObjectName(savedName);
    dock->setWidget(panel);
    giveTitleWhenFloating(dock);
    m_window.addDockWidget(placement.area, dock);
    const std::vector<QDockWidget*> neighbors = docksIn(placement.area);
    if (!neighbors.empty()) m_window.tabifyDockWidget(neighbors.back(), dock);
    m_docks.push_back(dock);
    connect(dock, &QDockWidget::visibilityChanged, panel, &Panel::setUncovered);
    connect(panel, &Panel::summaryChanged, this, &PanelDocks::summaryChanged);
    connect(panel, &Panel::frontRequested, dock, [this, dock] { bringToFront(dock); });
    connect(panel, &Panel::attentionRequested, dock, [this, dock] { raiseOrBadge(dock); });
    connect(dock, &QDockWidget::visibilityChanged, dock, [dock](bool isVisible) {
        if (isVisible) dock->setWindowTitle(panelIn(dock)->title());
    });
    for (QDockWidget* const each : docksIn(placement.area)) {
        if (panelIn(each)->placement().isInFront) each->raise();
    }
}

std::vector<Panel*> PanelDocks::panels() const
{
    std::vector<Panel*> panels;
    for (const QDockWidget* const dock : m_docks)
        panels.push_back(panelIn(dock));
    return panels;
}

QDockWidget* PanelDocks::dockOf(const Panel& panel) const
{
    return *std::ranges::find(m_docks, &panel, panelIn);
}

std::vector<QDockWidget*> PanelDocks::docksIn(Qt::DockWidgetArea area) const
{
    std::vector<QDockWidget*> docks;
    std::ranges::copy_if(m_docks, std::back_inserter(docks), [this, area](const QDockWidget* dock) {
        return panelIn(dock)->placement().area == area && !m_absent.contains(dock);
    });
    return docks;
}

// Do not cover a panel that shows the selection.
void PanelDocks::bringToFront(QDockWidget* dock)
{
    if (dock->isHidden()) return;
    const auto isInTheWay = [&](const QDockWidget* each) {
        return each != dock && each->isFloating() == dock->isFloating() && panelIn(each)->showsSelection();
    };
    if (std::ranges::none_of(docksIn(panelIn(dock)->placement().area), isInTheWay)) dock->raise();
}

// A tab that the user chose stays in front. In this case, a bullet in the title of this panel indicates new
// content.
void PanelDocks::raiseOrBadge(QDockWidget* dock)
{
    if (dock->isHidden() || panelIn(dock)->isInFront()) return;
    const auto isInTheWay = [&](const QDockWidget* each) {
        return each != dock && each->isFloating() == dock->isFloating() && panelIn(each)->isInFront() &&
               !panelIn(each)->followsSelection();
    };
    if (std::ranges::none_of(docksIn(panelIn(dock)->placement().area), isInTheWay)) return dock->raise();
    dock->setWindowTitle(tr("%1 \u2022", "a tab with something new").arg(panelIn(dock)->title()));
}

void PanelDocks::raise(const Panel& panel)
{
    QDockWidget* const dock = dockOf(panel);
    dock->show();
    dock->raise();
}

void PanelDocks::toggle(const Panel& panel)
{
    QDockWidget* const dock = dockOf(panel);
    dock->setVisible(dock->isHidden());
}

void PanelDocks::setPresent(const Panel& panel, bool isPresent)
{
    QDockWidget* const dock = dockOf(panel);
    if (isPresent != m_absent.contains(dock)) return;
    if (isPresent) {
        m_absent.erase(dock);
    } else {
        m_absent.insert(dock);
    }
    dock->toggleViewAction()->setVisible(isPresent);
    dock->setVisible(isPresent && !isFullHeight() && m_layoutToRestore.isEmpty());
}

void PanelDocks::hideAbsent() const
{
    for (QDockWidget* const dock : m_docks)
        if (m_absent.contains(dock)) dock->hide();
}

void PanelDocks::fold()
{
    if (isFullHeight()) toggleFullHeight();
    const std::vector<QDockWidget*> docks = docksIn(Qt::BottomDockWidgetArea);
    const bool anyShown =
        std::ranges::any_of(docks, [](const QDockWidget* dock) { return !dock->isHidden(); });
    for (QDockWidget* const dock : docks) {
        if (!dock->isFloating()) dock->setVisible(!anyShown);
    }
}

void PanelDocks::toggleFullHeight()
{
    if (isFullHeight()) {
        m_window.centralWidget()->show();
        restore(std::exchange(m_layoutBeforeFull, {}));
        emit fullHeightChanged(false);
        return;
    }
    if (!m_layoutToRestore.isEmpty()) return; // the docks are hidden because the current page has no docks
    m_layoutBeforeFull = layout();
    for (QDockWidget* const dock : m_docks) {
        const bool isAtBottom = panelIn(dock)->placement().area == Qt::BottomDockWidgetArea;
        if (isAtBottom) {
            dock->setVisible(!m_absent.contains(dock));
        } else if (!dock->isFloating()) {
            dock->hide();
        }
    }
    m_window.centralWidget()->hide();
    // The widget with the focus may be hidden now; move the focus to the visible panel.
    const std::vector<Panel*> all = panels();
    const auto front =
        std::ranges::find_if(all, [](Panel* panel) { return !panel->visibleRegion().isEmpty(); });
    if (front != all.end()) (*front)->setFocus(Qt::ShortcutFocusReason);
    emit fullHeightChanged(true);
}

Panel* PanelDocks::inFocus() const
{
    const QWidget* const focus = QApplication::focusWidget();
    for (Panel* const panel : panels()) {
        if (focus != nullptr && (panel == focus || panel->isAncestorOf(focus))) return panel;
    }
    return nullptr;
}

Panel* PanelDocks::inFront() const
{
    for (const QDockWidget* const dock : docksIn(Qt::BottomDockWidgetArea)) {
        if (panelIn(dock)->isInFront() && !dock->isFloating()) return panelIn(dock);
    }
    return nullptr;
}

void PanelDocks::fillMenu(QMenu& menu)
{
    for (const QDockWidget* const dock : m_docks)
        menu.addAction(dock->toggleViewAction());
    menu.addSeparator();
    for (QDockWidget* const dock : m_docks) {
        QAction* const action = menu.addAction(tr("Float %1").arg(dock->windowTitle()));
        action->setCheckable(true);
        connect(action, &QAction::triggered, dock, [dock](bool isFloating) {
            dock->setFloating(isFloating);
            dock->show();
        });
        connect(dock, &QDockWidget::topLevelChanged, action, &QAction::setChecked);
        const QAction* const shown = dock->toggleViewAction();
        action->setVisible(shown->isVisible());
        connect(shown, &QAction::changed, action,
                [shown, action] { action->setVisible(shown->isVisible()); });
    }
}

void PanelDocks::arrange()
{
    m_window.resizeDocks({docksIn(Qt::LeftDockWidgetArea).front()}, {scaledPixels(312)}, Qt::Horizontal);
    const std::vector<QDockWidget*> bottom = docksIn(Qt::BottomDockWidgetArea);
    const auto front = std::ranges::find_if(
        bottom, [](const QDockWidget* dock) { return panelIn(dock)->placement().isInFront; });
    // In a small window, the panels get more of the height, so that their tables show at least six rows.
    const int window = m_window.height();
    const int height = std::clamp(scaledPixels(316), window * 31 / 100, window * 45 / 100);
    m_window.resizeDocks({front == bottom.end() ? bottom.front() : *front}, {height}, Qt::Vertical);
    if (m_new.isEmpty()) m_new = layout();
}

void PanelDocks::forget()
{
    if (!m_layoutToRestore.isEmpty()) {
        m_layoutToRestore = m_new;
    } else {
        restore(m_new);
    }
}

QByteArray PanelDocks::layout() const
{
    return isFullHeight() ? m_layoutBeforeFull : m_window.saveState(kLayoutVersion);
}

bool PanelDocks::restore(const QByteArray& layout)
{
    const bool isRestored = !layout.isEmpty() && m_window.restoreState(layout, kLayoutVersion);
    hideAbsent();
    return isRestored;
}

void PanelDocks::hideDocks()
{
    if (!m_layoutToRestore.isEmpty()) return;
    if (isFullHeight()) toggleFullHeight();
    m_layoutToRestore = layout();
    for (QDockWidget* const dock : m_docks)
        dock->hide();
}

void PanelDocks::restoreDocks()
{
    restore(std::exchange(m_layoutToRestore, {}));
}

} // namespace lockstep
