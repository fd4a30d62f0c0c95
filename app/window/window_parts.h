// SPDX-License-Identifier: Apache-2.0
// WindowParts are the shared objects that a window lends to its pages, panels and controllers. The MainWindow
// owns them, and they outlive all users. UI thread.
#pragma once

#include <QSize>

#include "app/window/run_controller.h"
#include "core/base/memory_budget.h"
#include "core/base/workers.h"

namespace lockstep {

class CommandActions;
class KeyController;
class Look;
class MarkStore;
class NoticeBar;
class Notices;
class OpenController;
class PageStack;
class PanelDocks;
class Settings;
class TopStrip;
class ViewState;
class WorkDocument;
class WorkspaceController;

// Default size of a new window.
inline constexpr QSize kNewWindow(1440, 900);

struct WindowParts {
    QWidget& window; // parent of dialogs
    Settings& settings;
    Look& look;
    CommandActions& actions;
    KeyController& keys;
    NoticeBar& notice;
    TopStrip& strip;
    WorkspaceController& reports;
    ViewState& view;
    Notices& notices;
    WorkDocument& document; // the user's changes to the reports, with their undo stack
    MarkStore& marks;
    OpenController& opening;
    PanelDocks& docks;
    PageStack& pages;
    Workers workers;                       // threads for all computations of the window
    MemoryBudget& memory;                  // memory budget of all reports opened in the window
    RunController::MakeOptions runOptions; // returns the options for reaching hosts
};

} // namespace lockstep
