// SPDX-License-Identifier: Apache-2.0
// Page is one of the views that alternate in the center of the window, with the commands that belong to it.
// An entry of the page registry creates the page. The PageStack owns the page, and shows or hides the docks
// and the status line as the page requests. UI thread.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include <QObject>

#include "app/window/command_actions.h"
#include "core/scene/scene.h"
#include "core/session/session_config.h"
#include "ui/style/theme.h"

class QUndoStack;

namespace lockstep {

class Page : public QObject {
    Q_OBJECT

  public:
    // The page's tab in the strip. Pages with the same title share a tab; a page without a title has no tab.
    struct Tab {
        QString title;
        QString tooltip;
    };

    using QObject::QObject;

    virtual Tab tab() const = 0;
    virtual QWidget* widget() const = 0;
    // Returns true if the panels are shown around the page.
    virtual bool hasDocks() const { return false; }
    // Returns true if the page shows the open reports: the status line and the breadcrumb are visible, and
    // the Save shortcut saves the workspace. Otherwise the Save shortcut saves the session.
    virtual bool showsReports() const { return false; }
    // Returns the name of the help page in resources/help.
    virtual QString helpPage() const { return "index"; }
    // Called after the page was brought to the front.
    virtual void onActivated() {}
    // Opens a file that was dropped on the window while the page is in front. Returns false for a file that
    // is not for this page; it is opened as a report.
    virtual bool openDropped(const std::filesystem::path&) { return false; }
    // Returns the commands that are disabled while a different tab is in front.
    virtual std::vector<CommandId> actions() const { return {}; }
    // Returns the undo stack that Undo and Redo use on this page, or nullptr.
    virtual QUndoStack* undoStack() { return nullptr; }

    virtual void setTheme(const Theme&) {}
    virtual void setKeys(const KeyMap&) {}
    virtual void setScene(const ScenePtr&) {}
    // Returns true while a fetch, computation or query is running and its result will be shown.
    virtual bool isBusy() const { return false; }
    // Returns secret values that the page knows and that must not appear in a log.
    virtual TextPairs secrets() const { return {}; }
    // Returns true if quitting would lose changes. confirmClose() asks the user; `leave` is called once
    // nothing needs saving.
    virtual bool isModified() const { return false; }
    virtual void confirmClose(const std::function<void()>& leave) { leave(); }

  signals:
    void frontRequested();
    // Requests a help page ("page" or "page#Heading") for an error on the page.
    void helpRequested(const QString& page);
    // Emitted when the user is done with the page, so that the previous page can be shown again.
    void dismissed();
};

} // namespace lockstep
