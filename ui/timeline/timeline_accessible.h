// SPDX-License-Identifier: Apache-2.0
// What screen readers are told of a TimelineView: its lanes as they are on screen, in each of them the slices
// wide enough to be named there, and whatever the keyboard has in hand. Nothing is listed that is not on
// screen: a trace of 10^7 slices costs what one screen costs. UI thread.
#pragma once

namespace lockstep {

class TimelineView;

// Once a program; again does nothing.
void installTimelineAccessibility();
// The keyboard has another slice or lane in hand.
void tellWhatIsInHand(TimelineView& view);

} // namespace lockstep
