// SPDX-License-Identifier: Apache-2.0
#include "app/window/tab_stop.h"

#include <QDockWidget>

namespace lockstep {

namespace {

// Returns false for a widget in a dock behind another tab, which Qt reports as visible. A widget that is only
// scrolled out of view counts as visible, because the focus scrolls it into view.
bool isInFrontDock(const QWidget& widget)
{
    for (const QWidget* at = &widget; at != nullptr; at = at->parentWidget()) {
        const auto* const dock = qobject_cast<const QDockWidget*>(at);
        if (dock != nullptr) return !dock->visibleRegion().isEmpty();
    }
    return true;
}

bool isStop(const QWidget& window, const QWidget& widget)
{
    return (widget.focusPolicy() & Qt::TabFocus) != 0 && widget.focusProxy() == nullptr &&
           widget.window() == &window && widget.isEnabled() && widget.isVisibleTo(&window) &&
           isInFrontDock(widget);
}

} // namespace

QWidget* nextTabStop(const QWidget& window, QWidget* from, bool isForward)
{
    const auto step = [isForward](const QWidget* at) {
        return isForward ? at->nextInFocusChain() : at->previousInFocusChain();
    };
    const QWidget* const first = from != nullptr ? from : &window;
    for (QWidget* at = step(first); at != nullptr && at != first; at = step(at)) {
        if (isStop(window, *at)) return at;
    }
    return nullptr;
}

} // namespace lockstep
