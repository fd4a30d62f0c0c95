// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/timeline_accessible.h"

#include "ui/timeline/lane_accessible.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/timeline_view.h"

namespace lockstep {

namespace {

QAccessibleInterface* lanesOf(const QWidget& view)
{
    return QAccessible::queryAccessibleInterface(view.findChild<TimelineCanvas*>());
}

// ViewAccessible represents the view, which has the keyboard focus. Screen readers read the selected slice or
// lane.
class ViewAccessible : public QAccessibleWidget {
  public:
    explicit ViewAccessible(TimelineView* view) : QAccessibleWidget(view, QAccessible::Grouping) {}

    QAccessibleInterface* focusChild() const override
    {
        QAccessibleInterface* const lanes = lanesOf(*widget());
        QAccessibleInterface* const inFocus = lanes == nullptr ? nullptr : lanes->focusChild();
        return inFocus != nullptr ? inFocus : QAccessibleWidget::focusChild();
    }
};

QAccessibleInterface* makeTimelineAccessible(const QString&, QObject* object)
{
    if (auto* const canvas = qobject_cast<TimelineCanvas*>(object)) return new LanesAccessible(canvas);
    if (auto* const view = qobject_cast<TimelineView*>(object)) return new ViewAccessible(view);
    return nullptr;
}

} // namespace

void installTimelineAccessibility()
{
    static const bool kIsInstalled = [] {
        QAccessible::installFactory(makeTimelineAccessible);
        return true;
    }();
    static_cast<void>(kIsInstalled);
}

void announceFocus(const QWidget& view)
{
    if (!QAccessible::isActive() || !view.hasFocus()) return;
    QAccessibleInterface* const lanes = lanesOf(view);
    QAccessibleInterface* const inFocus = lanes == nullptr ? nullptr : lanes->focusChild();
    if (inFocus == nullptr) return;
    QAccessibleEvent event(inFocus, QAccessible::Focus);
    QAccessible::updateAccessibility(&event);
}

} // namespace lockstep
