// SPDX-License-Identifier: Apache-2.0
#include "ui/charts/svg_picture.h"

#include <QBuffer>
#include <QImage>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgRenderer>

#include "ui/style/fixed_pdf.h"

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
    QBuffer buffer;
    if (!buffer.open(QIODevice::WriteOnly) || !image.save(&buffer, "PNG"))
        return makeError(ErrorKind::io, "the picture cannot be encoded as PNG");
    return buffer.data().toStdString();
}

Result<std::string> pdfOfSvg(const std::string& svg, QSize size, const QString& title)
{
    QSvgRenderer renderer(QByteArray::fromStdString(svg));
    if (!renderer.isValid()) return makeError(ErrorKind::io, "the chart cannot be drawn as PDF");
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setResolution(72); // a pixel of the picture is a point of the page
        writer.setPageSize(QPageSize(QSizeF(size), QPageSize::Point, QString(), QPageSize::ExactMatch));
        writer.setPageMargins(QMarginsF());
        writer.setTitle(title);
        QPainter painter(&writer);
        renderer.render(&painter, QRectF(QPointF(), QSizeF(size)));
    }
    return pdfWithoutDates(buffer.data());
}

} // namespace lockstep
