// SPDX-License-Identifier: Apache-2.0
// The font of the timeline, and the text metrics that the layout needs. UI thread.
#pragma once

#include <QFont>

#include "core/timeline/label_font.h"

namespace lockstep {

// Returns the timeline's font: Inter if installed, otherwise the system font; 12 px at scale 1, without
// ligatures.
QFont timelineFont(double scale);
LabelFont labelFontOf(const QFont& font);

} // namespace lockstep
