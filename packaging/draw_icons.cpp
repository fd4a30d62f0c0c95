// SPDX-License-Identifier: Apache-2.0
// draw_icons SVG FOLDER SIZE...: FOLDER/SIZExSIZE.png of one drawing, for desktops that take no SVG. Run by
// the build alone.
#include <cstdio>

#include <QImage>
#include <QPainter>
#include <QSvgRenderer>

int main(int argc, char** argv)
{
    if (argc < 4) {
        std::fputs("usage: draw_icons SVG FOLDER SIZE...\n", stderr);
        return 2;
    }
    QSvgRenderer drawing(QString::fromLocal8Bit(argv[1]));
    for (int i = 3; i < argc; ++i) {
        const int side = QByteArray(argv[i]).toInt();
        QImage picture(side, side, QImage::Format_ARGB32_Premultiplied);
        picture.fill(Qt::transparent);
        QPainter painter(&picture);
        drawing.render(&painter);
        painter.end();
        const QString file = QString("%1/%2x%2.png").arg(QString::fromLocal8Bit(argv[2])).arg(side);
        if (!drawing.isValid() || !picture.save(file)) {
            std::fprintf(stderr, "draw_icons: %s: cannot be written\n", qPrintable(file));
            return 1;
        }
    }
    return 0;
}
