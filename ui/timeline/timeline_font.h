// SPDX-License-Identifier: Apache-2.0
// The font of the timeline and what layout needs to know of it. GUI thread.
#pragma once

#include <QFont>

#include "core/timeline/label_font.h"

namespace lockstep {

// Inter where it is installed, else the system's font; 12 px at scale 1.
QFont timelineFont(double scale);
LabelFont labelFontOf(const QFont& font);

} // namespace lockstep
