// SPDX-License-Identifier: Apache-2.0
#include "app/window/picture_export.h"

#include <iterator>
#include <memory>

#include <QGuiApplication>
#include <QHashFunctions>
#include <QTemporaryDir>

#include "app/window/difference_picture.h"
#include "core/base/whole_file.h"
#include "ui/charts/svg_picture.h"
#include "ui/style/picture_bytes.h"
#include "ui/timeline/timeline_picture.h"

namespace lockstep {

namespace {

// Qt draws text only while a GUI application exists; the offscreen platform needs neither display nor
// environment.
std::unique_ptr<QGuiApplication> offscreenApplication()
{
    if (qGuiApp != nullptr) return nullptr;
    static int count = 1;
    static char name[] = "lockstep";
    static char* arguments[] = {name, nullptr};
    qputenv("QT_QPA_PLATFORM", "offscreen");
    // Qt writes the fonts of a PDF in hash order. A fixed seed makes sure that identical images give
    // identical bytes.
    QHashSeed::setDeterministicGlobalSeed();
    // Suppress Qt's warnings about missing folders, which images do not need. Failures are returned as a
    // Result.
    qInstallMessageHandler([](QtMsgType, const QMessageLogContext&, const QString&) {});
    return std::make_unique<QGuiApplication>(count, arguments);
}

PictureOptions optionsOf(const PictureRequest& request)
{
    PictureOptions options;
    options.size = {request.width, request.height};
    options.dark = request.isDark;
    options.lanesRegex = request.lanes;
    options.isFolded = request.isFolded;
    options.isMemoryOnly = request.isMemoryOnly;
    options.memoryLook = request.memoryLook;
    options.range = request.range;
    options.workers = request.workers;
    return options;
}

Result<std::string> pngOf(const PictureRequest& request)
{
    return pngBytes(LOCKSTEP_TRY(timelineImage(request.scene, optionsOf(request))));
}

Result<std::string> svgOf(const PictureRequest& request)
{
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("timeline.svg").toStdString();
    LOCKSTEP_TRY(writeTimelineSvg(path, request.scene, optionsOf(request)));
    return readWholeFile(path);
}

// Converts an SVG that core has drawn to the requested format.
Result<std::string> ofDrawn(const PictureRequest& request)
{
    const QSize size(request.width, request.height);
    if (request.format == PictureFormat::png) return pngOfSvg(request.svg, size);
    if (request.format == PictureFormat::pdf)
        return pdfOfSvg(request.svg, size, QStringLiteral("Lockstep step chart"));
    return request.svg;
}

} // namespace

Result<std::string> drawTimeline(const PictureRequest& request)
{
    const std::unique_ptr<QGuiApplication> application = offscreenApplication();
    if (!request.svg.empty()) return ofDrawn(request);
    if (request.baseline) return drawDifference(request);
    if (request.format == PictureFormat::pdf) return timelinePdf(request.scene, optionsOf(request));
    return request.format == PictureFormat::png ? pngOf(request) : svgOf(request);
}

} // namespace lockstep
