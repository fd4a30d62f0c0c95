// SPDX-License-Identifier: Apache-2.0
// Page: one of those that take turns in the middle of the window, with its commands. Made by a line of the
// window's list of pages, owned by the PageStack, which also does what the page says of its surroundings. UI
// thread.
#pragma once

#include <functional>
#include <vector>

#include <QObject>

#include "app/actions.h"
#include "core/scene/scene.h"
#include "core/session/session_config.h"
#include "ui/style/theme.h"

class QUndoStack;

namespace lockstep {

class Page : public QObject {
    Q_OBJECT

  public:
    // In the strip. Pages of one title share the tab; one of no title has none.
    struct Tab {
        QString title;
        QString tooltip;
    };

    using QObject::QObject;

    virtual Tab tab() const = 0;
    virtual QWidget* widget() const = 0;
    // The panels stand around it.
    virtual bool hasDocks() const { return false; }
    // It is of the open reports: the status line and the breadcrumb belong to it, and saving by key saves the
    // workspace; elsewhere the session.
    virtual bool isOfReports() const { return false; }
    // Name of its page in resources/help.
    virtual QString helpPage() const { return "index"; }
    // It was brought to the front.
    virtual void takeFront() {}
    // Commands about what only the pages of this tab show; they rest while another tab is in front.
    virtual std::vector<ActionId> actions() const { return {}; }
    // What undo and redo mean in front of it; nullptr: nothing.
    virtual QUndoStack* undoStack() { return nullptr; }

    virtual void setTheme(const Theme&) {}
    virtual void setKeys(const KeyMap&) {}
    virtual void setScene(const ScenePtr&) {}
    // True while something is fetched, computed or asked that will be shown.
    virtual bool isBusy() const { return false; }
    // Values that it knows and that no log may hold.
    virtual TextPairs secrets() const { return {}; }
    // Leaving the program would lose something. askBeforeLeaving() asks; `leave` runs if it may be lost.
    virtual bool isModified() const { return false; }
    virtual void askBeforeLeaving(const std::function<void()>& leave) { leave(); }

  signals:
    void frontRequested();
    // Of an error that it shows: a help page, and maybe a section of it.
    void helpRequested(const QString& place);
    // Its work is done: whatever stood there before may come back.
    void left();
};

} // namespace lockstep
