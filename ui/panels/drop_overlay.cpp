#include "ui/panels/drop_overlay.h"

#include <QMimeData>
#include <QPainter>
#include <QUrl>

#include "ui/style/style_sheet.h"

namespace lockstep {

DropOverlay::DropOverlay(QWidget* window) : QWidget(window)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
}

void DropOverlay::appear()
{
    setGeometry(parentWidget()->rect());
    raise();
    show();
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

std::vector<std::filesystem::path> droppedPaths(const QMimeData& mime)
{
    std::vector<std::filesystem::path> paths;
    for (const QUrl& url : mime.urls()) {
        if (url.isLocalFile()) paths.emplace_back(url.toLocalFile().toStdString());
    }
    return paths;
}

} // namespace lockstep
