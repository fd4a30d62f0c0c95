// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/drop_overlay.h"

#include <QDropEvent>
#include <QMimeData>
#include <QPainter>
#include <QUrl>

#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

// Returns the local files and folders of a drag.
std::vector<std::filesystem::path> pathsOf(const QMimeData& mime)
{
    std::vector<std::filesystem::path> paths;
    for (const QUrl& url : mime.urls()) {
        if (url.isLocalFile()) paths.emplace_back(url.toLocalFile().toStdString());
    }
    return paths;
}

} // namespace

DropOverlay::DropOverlay(QWidget* window) : QWidget(window)
{
    window->setAcceptDrops(true);
    window->installEventFilter(this);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
}

void DropOverlay::appear()
{
    setGeometry(parentWidget()->rect());
    raise();
    show();
}

bool DropOverlay::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize) setGeometry(parentWidget()->rect());
    if (event->type() == QEvent::DragLeave) hide();
    if (event->type() != QEvent::DragEnter && event->type() != QEvent::Drop)
        return QWidget::eventFilter(watched, event);
    auto* const drag = static_cast<QDropEvent*>(event); // QDragEnterEvent is also a QDropEvent
    const std::vector<std::filesystem::path> paths = pathsOf(*drag->mimeData());
    if (paths.empty()) return QWidget::eventFilter(watched, event);
    drag->setDropAction(Qt::CopyAction);
    drag->accept();
    if (event->type() == QEvent::DragEnter) {
        appear();
    } else {
        hide();
        emit dropped(paths);
    }
    return true;
}

void DropOverlay::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor veil = m_theme->window;
    veil.setAlphaF(0.82f);
    painter.fillRect(rect(), veil);
    QColor fill = m_theme->accent;
    fill.setAlphaF(0.12f);
    const double edge = scaledPixels(12);
    painter.setBrush(fill);
    painter.setPen(QPen(m_theme->accent, 2, Qt::DashLine));
    painter.drawRoundedRect(QRectF(rect()).adjusted(edge, edge, -edge, -edge), edge, edge);
    painter.setPen(m_theme->text);
    QFont font = interfaceFont(scaledPixels(100) / 100.0 * 1.4);
    font.setWeight(QFont::DemiBold);
    painter.setFont(font);
    painter.drawText(rect(), Qt::AlignCenter, tr("Drop to open files and folders"));
}

} // namespace lockstep
