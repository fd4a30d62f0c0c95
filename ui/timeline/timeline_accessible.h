// SPDX-License-Identifier: Apache-2.0
// Accessibility of a TimelineView for screen readers: the lanes on screen, the slices in them that are wide
// enough for a label, and the selected slice or lane. Only items on screen are listed, so the cost does not
// depend on the number of slices in the trace. UI thread.
#pragma once

class QWidget;

namespace lockstep {

// Installs the program's accessibility factory. Subsequent calls do nothing.
void installTimelineAccessibility();
// Notifies screen readers that a different slice or lane was selected. `view` is a TimelineView.
void announceFocus(const QWidget& view);

} // namespace lockstep
