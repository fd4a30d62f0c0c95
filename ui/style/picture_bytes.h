// SPDX-License-Identifier: Apache-2.0
// Converts images to the bytes of a file: PNG, SVG or a one-page PDF. Identical images give identical bytes.
// Any thread.
#pragma once

#include <functional>
#include <string>

#include <QSize>
#include <QString>

#include "core/base/result.h"

class QImage;
class QPainter;

namespace lockstep {

using PaintPicture = std::function<void(QPainter& painter)>;

// Returns the image as PNG. Error: io (the image cannot be encoded).
Result<std::string> pngBytes(const QImage& image);
// Returns the drawing of `paint` as SVG with that title; ligatures are disabled in its text.
std::string svgBytes(QSize size, const QString& title, const PaintPicture& paint);
// Returns the drawing of `paint` as a PDF, one point per pixel. The file contains no date.
std::string pdfBytes(QSize size, const QString& title, const PaintPicture& paint);

} // namespace lockstep
