// SPDX-License-Identifier: Apache-2.0
// A chart that core drew as SVG text, as PNG and PDF. Needs a QGuiApplication, the offscreen one will do; the
// same text gives the same bytes. Any thread that may paint.
#pragma once

#include <string>

#include <QSize>

#include "core/base/result.h"

namespace lockstep {

// size: pixels. io: Qt cannot read the text, or a picture of this size does not fit into memory.
Result<std::string> pngOfSvg(const std::string& svg, QSize size);
// A page of this size in points; shapes and letters stay what they are.
Result<std::string> pdfOfSvg(const std::string& svg, QSize size, const QString& title);

} // namespace lockstep
