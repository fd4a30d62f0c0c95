// SPDX-License-Identifier: Apache-2.0
// Converts charts that core has drawn as SVG text to PNG and PDF. Needs a QGuiApplication (the offscreen
// platform is enough). Identical SVG input gives identical bytes. Any thread that may paint.
#pragma once

#include <string>

#include <QSize>

#include "core/base/result.h"

namespace lockstep {

// Returns the chart as PNG; `size` is in pixels. Error: io (Qt cannot parse the SVG, or memory is
// insufficient).
Result<std::string> pngOfSvg(const std::string& svg, QSize size);
// Returns the chart as a PDF page of this size in points; shapes and labels remain vector graphics.
Result<std::string> pdfOfSvg(const std::string& svg, QSize size, const QString& title);

} // namespace lockstep
