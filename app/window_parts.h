// SPDX-License-Identifier: Apache-2.0
// WindowParts: what a window lends to its pages, panels and controllers. Made by the MainWindow, which owns
// all of it; everything outlives those who borrow. UI thread.
#pragma once

#include <QSize>

#include "app/run_controller.h"
#include "core/base/memory_budget.h"
#include "core/base/workers.h"

class QUndoStack;

namespace lockstep {

class ActionTable;
class KeyController;
class Look;
class MarkStore;
class NoticeBar;
class OpenController;
class PageStack;
class PanelDocks;
class Settings;
class TopStrip;
class ViewState;
class WorkspaceController;

// Of a window that nobody has sized.
inline constexpr QSize kNewWindow(1440, 900);

struct WindowParts {
    QWidget& window; // dialogs stand before it
    Settings& settings;
    Look& look;
    ActionTable& actions;
    KeyController& keys;
    NoticeBar& notice;
    TopStrip& strip;
    WorkspaceController& reports;
    ViewState& view;
    QUndoStack& undo; // changes of the workspace made by hand: identities, alignment, marks, lanes
    MarkStore& marks;
    OpenController& opening;
    PanelDocks& docks;
    PageStack& pages;
    Workers workers;                       // of all that is computed here
    MemoryBudget& memory;                  // of all that is opened here
    RunController::MakeOptions runOptions; // how hosts are reached
};

} // namespace lockstep
