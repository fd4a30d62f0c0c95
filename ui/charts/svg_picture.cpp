// SPDX-License-Identifier: Apache-2.0
#include "ui/charts/svg_picture.h"

#include <QImage>
#include <QPainter>
#include <QSvgRenderer>

#include "ui/style/picture_bytes.h"

namespace lockstep {

Result<std::string> pngOfSvg(const std::string& svg, QSize size)
{
    QSvgRenderer renderer(QByteArray::fromStdString(svg));
    QImage image(size, QImage::Format_RGB32);
    if (!renderer.isValid() || image.isNull())
        return makeError(ErrorKind::io, "the chart cannot be drawn at this size");
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    renderer.render(&painter);
    painter.end();
    return pngBytes(image);
}

Result<std::string> pdfOfSvg(const std::string& svg, QSize size, const QString& title)
{
    QSvgRenderer renderer(QByteArray::fromStdString(svg));
    if (!renderer.isValid()) return makeError(ErrorKind::io, "the chart cannot be drawn as PDF");
    return pdfBytes(size, title,
                    [&](QPainter& painter) { renderer.render(&painter, QRectF(QPointF(), QSizeF(size))); });
}

} // namespace lockstep
