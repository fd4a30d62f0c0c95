// SPDX-License-Identifier: Apache-2.0
// Pictures as the bytes of a file: what is painted, as PNG, SVG or a PDF of one page, equal for equal
// pictures. Any thread.
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

// io: the image cannot be encoded.
Result<std::string> pngBytes(const QImage& image);
std::string svgBytes(QSize size, const QString& title, const PaintPicture& paint);
// A pixel of the picture is a point of the page. It holds no date.
std::string pdfBytes(QSize size, const QString& title, const PaintPicture& paint);

} // namespace lockstep
