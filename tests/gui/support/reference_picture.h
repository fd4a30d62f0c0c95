// SPDX-License-Identifier: Apache-2.0
// Compares what a widget paints with a reference picture in tests/gui/pictures.
//
// Two pixels differ if a channel differs by more than kChannelNoise. Pictures match if they have the same
// size and at most kMaxPixels pixels differ. Layout and Qt's raster engine are deterministic, so pictures of
// one machine are equal. The tolerance is for other machines:
// - Blending may round differently with other vector instructions, by one or two levels of a channel.
//   kChannelNoise is above that, and below the distance of neighboring shades of a slice color.
// - A coordinate computed in floating point may round to the next pixel. kMaxPixels allows this for one edge
//   of one slice in a row of normal height (20 pixels), but not for two edges. Fewer pixels than in the
//   shortest label and in a slice of two pixels are allowed.
// No similar pixel is searched nearby: a lane that moved by one pixel does not match. Fonts are the same
// everywhere, see gui_main.cpp.
#pragma once

#include <algorithm>
#include <cstdlib>

#include <zlib.h>

#include <QByteArray>
#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QRect>
#include <QString>
#include <QtEndian>

#include "tests/support/places.h"

namespace lockstep::test {

inline constexpr int kChannelNoise = 6;
inline constexpr int kMaxPixels = 24;

struct PictureDifference {
    bool isSameSize = true;
    int pixels = 0;   // number of pixels that differ
    QRect bounds{};   // smallest rectangle that contains them
    QImage picture{}; // those pixels in red, over a pale copy of the reference

    bool isMatch() const { return isSameSize && pixels <= kMaxPixels; }
};

inline PictureDifference pictureDifference(const QImage& actual, const QImage& reference)
{
    PictureDifference found;
    if (actual.size() != reference.size()) return {.isSameSize = false};
    const QImage a = actual.convertToFormat(QImage::Format_RGB32);
    const QImage b = reference.convertToFormat(QImage::Format_RGB32);
    found.picture = QImage(b.size(), QImage::Format_RGB32);
    for (int y = 0; y < b.height(); ++y) {
        for (int x = 0; x < b.width(); ++x) {
            const QRgb p = a.pixel(x, y), q = b.pixel(x, y);
            const int distance = std::max({std::abs(qRed(p) - qRed(q)), std::abs(qGreen(p) - qGreen(q)),
                                           std::abs(qBlue(p) - qBlue(q))});
            const int pale = 192 + qGray(q) / 4;
            found.picture.setPixel(x, y, qRgb(pale, pale, pale));
            if (distance <= kChannelNoise) continue;
            found.picture.setPixel(x, y, qRgb(255, 0, 0));
            found.bounds |= QRect(x, y, 1, 1);
            ++found.pixels;
        }
    }
    return found;
}

inline QString referenceFolder()
{
    return QString::fromStdString((sourceFolder() / "tests/gui/pictures").string());
}

// Returns the folder for pictures that do not match: $LOCKSTEP_PICTURES, or one in the build folder.
inline QString failureFolder()
{
    const QString chosen = qEnvironmentVariable("LOCKSTEP_PICTURES");
    return chosen.isEmpty() ? QDir::cleanPath(builtProgram("../picture_failures")) : chosen;
}

// Returns the picture as a PNG without line filters, which make these pictures larger by a quarter. Qt has no
// option to write such a PNG.
inline QByteArray plainPng(const QImage& picture)
{
    const QImage rgb = picture.convertToFormat(QImage::Format_RGB888);
    QByteArray rows;
    for (int y = 0; y < rgb.height(); ++y) {
        rows += '\0'; // no filter
        rows.append(reinterpret_cast<const char*>(rgb.constScanLine(y)), 3 * rgb.width());
    }
    const auto bigEndian = [](auto number) {
        QByteArray bytes(4, 0);
        qToBigEndian(static_cast<quint32>(number), bytes.data());
        return bytes;
    };
    const auto chunk = [&](const QByteArray& type, const QByteArray& content) {
        const QByteArray checked = type + content;
        const auto* const bytes = reinterpret_cast<const Bytef*>(checked.constData());
        const uLong sum = ::crc32(0, bytes, static_cast<uInt>(checked.size()));
        return bigEndian(content.size()) + checked + bigEndian(sum);
    };
    const QByteArray depthAndColors("\x08\x02\0\0\0", 5); // 8 bits per channel, RGB, not interlaced
    return "\x89PNG\r\n\x1a\n" +
           chunk("IHDR", bigEndian(rgb.width()) + bigEndian(rgb.height()) + depthAndColors) +
           chunk("IDAT", qCompress(rows, 9).mid(4)) + // without the length that Qt adds
           chunk("IEND", {});
}

// Returns "" or why the picture could not be written.
inline QString savePicture(const QImage& picture, const QString& path)
{
    QFile file(path);
    const QByteArray png = plainPng(picture);
    if (QDir().mkpath(QFileInfo(path).path()) && file.open(QIODevice::WriteOnly) &&
        file.write(png) == png.size() && file.flush())
        return {};
    return path + ": cannot write: " + file.errorString();
}

// Compares a picture with tests/gui/pictures/NAME.png. Returns "" if they match; otherwise what differs,
// where the actual picture and the differences were saved, and how to replace the reference.
inline QString comparePicture(const QImage& actual, const QString& name)
{
    const QString path = referenceFolder() + '/' + name + ".png";
    const QImage reference(path);
    const PictureDifference difference = pictureDifference(actual, reference);
    if (!reference.isNull() && difference.isMatch()) return {};
    if (qEnvironmentVariableIntValue("LOCKSTEP_UPDATE_PICTURES") == 1) return savePicture(actual, path);

    QStringList lines;
    if (reference.isNull()) {
        lines << path + ": no such picture";
    } else if (!difference.isSameSize) {
        lines << QString("%1: %2x%3 pixels instead of %4x%5")
                     .arg(path)
                     .arg(actual.width())
                     .arg(actual.height())
                     .arg(reference.width())
                     .arg(reference.height());
    } else {
        const QRect& at = difference.bounds;
        lines << QString("%1: %2 pixels differ, at most %3 may; they are within %4x%5 pixels at (%6, %7)")
                     .arg(path)
                     .arg(difference.pixels)
                     .arg(kMaxPixels)
                     .arg(at.width())
                     .arg(at.height())
                     .arg(at.x())
                     .arg(at.y());
    }
    const auto save = [&](const QImage& picture, const char* what) {
        const QString saved = failureFolder() + '/' + name + '_' + what + ".png";
        const QString problem = savePicture(picture, saved);
        lines << QString("%1: %2").arg(what, problem.isEmpty() ? saved : problem);
    };
    save(actual, "actual");
    if (!difference.picture.isNull()) save(difference.picture, "difference");
    lines << "If the new picture is right: LOCKSTEP_UPDATE_PICTURES=1 " +
                 QCoreApplication::applicationFilePath() + " painting_test";
    return lines.join("\n  ");
}

} // namespace lockstep::test
