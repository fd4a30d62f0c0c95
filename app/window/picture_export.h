// SPDX-License-Identifier: Apache-2.0
// drawTimeline() draws the images of a headless export. Connects the command line with the drawing code.
#pragma once

#include <string>

#include "app/cli/export_command.h"

namespace lockstep {

// Draws the timeline as PNG, SVG or PDF, or converts a finished SVG to the format. Starts Qt's GUI on the
// offscreen platform if it is not running yet; needs no display.
Result<std::string> drawTimeline(const PictureRequest& request);

} // namespace lockstep
