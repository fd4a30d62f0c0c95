// SPDX-License-Identifier: Apache-2.0
#include "ui/style/picture_bytes.h"

#include <string_view>

#include <QBuffer>
#include <QImage>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

namespace lockstep {

namespace {

// Sets the creation date, which QPdfWriter writes into each file, to 1970-01-01.
std::string pdfWithoutDates(const QByteArray& pdf)
{
    std::string text = pdf.toStdString();
    static constexpr std::string_view kBegin = "/CreationDate (D:", kNever = "19700101000000";
    const size_t at = text.rfind(kBegin);
    if (at != text.npos && at + kBegin.size() + kNever.size() < text.size())
        text.replace(at + kBegin.size(), kNever.size(), kNever);
    return text;
}

// Adds a style to the root element: QSvgGenerator writes font families and sizes, but no font features.
std::string svgWithoutLigatures(const QByteArray& svg)
{
    std::string text = svg.toStdString();
    static constexpr std::string_view kRoot = "<svg ";
    const size_t at = text.find(kRoot);
    if (at != text.npos)
        text.insert(at + kRoot.size(),
                    "style=\"font-variant-ligatures:none;font-feature-settings:'calt' 0,'liga' 0\" ");
    return text;
}

} // namespace

Result<std::string> pngBytes(const QImage& image)
{
    QBuffer buffer;
    if (!buffer.open(QIODevice::WriteOnly) || !image.save(&buffer, "PNG"))
        return makeError(ErrorKind::io, "the picture cannot be encoded as PNG");
    return buffer.data().toStdString();
}

std::string svgBytes(QSize size, const QString& title, const PaintPicture& paint)
{
    QBuffer buffer;
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(), size));
    generator.setTitle(title);
    {
        QPainter painter(&generator);
        paint(painter);
    }
    return svgWithoutLigatures(buffer.data());
}

std::string pdfBytes(QSize size, const QString& title, const PaintPicture& paint)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setResolution(72);
        writer.setPageSize(QPageSize(QSizeF(size), QPageSize::Point, QString(), QPageSize::ExactMatch));
        writer.setPageMargins(QMarginsF());
        writer.setTitle(title);
        QPainter painter(&writer);
        paint(painter);
    }
    return pdfWithoutDates(buffer.data());
}

} // namespace lockstep
