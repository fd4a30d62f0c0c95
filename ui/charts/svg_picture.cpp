// SPDX-License-Identifier: Apache-2.0
#include "ui/charts/svg_picture.h"

#include <QImage>
#include <QPainter>
#include <QSvgRenderer>

#include "ui/style/picture_bytes.h"
#include "ui/style/style_sheet.h"

namespace lockstep {
namespace {

// Qt ignores the font features set in an SVG, so the style strategy of the painter's font is used for its
// text.
void render(QSvgRenderer& renderer, QPainter& painter, const QRectF& area)
{
    QFont font = painter.font();
    disableLigatures(font);
    painter.setFont(font);
    renderer.render(&painter, area);
}

} // namespace

Result<std::string> pngOfSvg(const std::string& svg, QSize size)
{
    QSvgRenderer renderer(QByteArray::fromStdString(svg));
    QImage image(size, QImage::Format_RGB32);
    if (!renderer.isValid() || image.isNull())
        return makeError(ErrorKind::io, "the chart cannot be drawn at this size");
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    render(renderer, painter, QRectF(QPointF(), QSizeF(size)));
    painter.end();
    return pngBytes(image);
}

Result<std::string> pdfOfSvg(const std::string& svg, QSize size, const QString& title)
{
    QSvgRenderer renderer(QByteArray::fromStdString(svg));
    if (!renderer.isValid()) return makeError(ErrorKind::io, "the chart cannot be drawn as PDF");
    return pdfBytes(size, title,
                    [&](QPainter& painter) { render(renderer, painter, QRectF(QPointF(), QSizeF(size))); });
}

} // namespace lockstep
