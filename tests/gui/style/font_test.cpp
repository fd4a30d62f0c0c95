// SPDX-License-Identifier: Apache-2.0
// Tests that the window's fonts draw every character of a name as itself: no ligature, no contextual
// alternate. Inter has both for "128x32" and "->".
#include <array>
#include <cmath>

#include <QApplication>
#include <QFontDatabase>
#include <QGlyphRun>
#include <QLabel>
#include <QPainter>
#include <QTextLayout>
#include <QtTest>

#include "tests/support/test_registry.h"
#include "ui/charts/svg_picture.h"
#include "ui/style/picture_bytes.h"
#include "ui/style/style_sheet.h"
#include "ui/timeline/timeline_font.h"

using namespace lockstep;

namespace {

QList<quint32> glyphsOf(const QString& text, const QFont& font)
{
    QTextLayout layout(text, font);
    layout.beginLayout();
    layout.createLine();
    layout.endLayout();
    QList<quint32> glyphs;
    for (const QGlyphRun& run : layout.glyphRuns())
        glyphs += run.glyphIndexes();
    return glyphs;
}

QList<quint32> glyphsOneByOne(const QString& text, const QFont& font)
{
    QList<quint32> glyphs;
    for (const QChar character : text)
        glyphs += glyphsOf(QString(character), font);
    return glyphs;
}

QFont monospaceFont()
{
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    disableLigatures(font);
    return font;
}

} // namespace

class FontTest : public QObject {
    Q_OBJECT

  private slots:
    void init() { m_applicationFont = QApplication::font(); }
    void cleanup()
    {
        qApp->setStyleSheet({});
        QApplication::setFont(m_applicationFont);
    }

    void everyCharacterIsDrawnAsItself_data()
    {
        QTest::addColumn<QFont>("font");
        QTest::addColumn<QString>("text");
        const std::array fonts{std::pair("interface", interfaceFont(1)), std::pair("small", smallFont(1)),
                               std::pair("timeline", timelineFont(1)),
                               std::pair("timeline x2", timelineFont(2)),
                               std::pair("monospace", monospaceFont())};
        for (const auto& [name, font] : fonts) {
            for (const char* const text : {"128x32", "->", "=>", "gemm_128x64x32->bf16", "<=", "!=", "***"})
                QTest::addRow("%s: %s", name, text) << font << QString(text);
        }
    }

    void everyCharacterIsDrawnAsItself()
    {
        QFETCH(const QFont, font);
        QFETCH(const QString, text);
        QCOMPARE(glyphsOf(text, font), glyphsOneByOne(text, font));
        double width = 0;
        const QFontMetricsF metrics(font);
        for (const QChar character : text)
            width += metrics.horizontalAdvance(character);
        QVERIFY2(std::abs(metrics.horizontalAdvance(text) - width) < 0.5, qPrintable(text));
    }

    // A style sheet makes fonts of its own; they must keep the strategy of the application's font.
    void widgetsKeepTheStrategyUnderTheStyleSheet()
    {
        QApplication::setFont(interfaceFont(1));
        qApp->setStyleSheet(styleSheetOf(lightTheme(), 1));
        for (const char* const look : {"plain", "muted", "caption", "strong", "title"}) {
            QLabel label("128x32 -> 7");
            label.setProperty(look, true);
            label.ensurePolished();
            QVERIFY2((label.font().styleStrategy() & QFont::PreferNoShaping) != 0, look);
            QCOMPARE(glyphsOf(label.text(), label.font()), glyphsOneByOne(label.text(), label.font()));
        }
    }

    void svgTurnsLigaturesOff()
    {
        const std::string svg = svgBytes({200, 40}, "Names", [](QPainter& painter) {
            painter.setFont(timelineFont(1));
            painter.drawText(5, 25, "128x32");
        });
        QVERIFY(svg.find("font-variant-ligatures:none") != svg.npos);
        QVERIFY(svg.find("128x32") != svg.npos);
        QVERIFY(pngOfSvg(svg, {200, 40}).has_value());
    }

    // Qt ignores the style of the SVG, so that pngOfSvg() itself has to draw "->" as two characters: wider
    // text than the arrow that the same font has for it.
    void picturesOfSvgDrawEveryCharacter()
    {
        const auto picture = [](const std::string& text) {
            const auto png = pngOfSvg("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 200 40\" "
                                      "font-family=\"Inter\"><text x=\"5\" y=\"25\" font-size=\"20\">" +
                                          text + "</text></svg>",
                                      {200, 40});
            return png ? *png : std::string();
        };
        QVERIFY(!picture("-&gt;").empty());
        // A zero-width non-joiner between the characters keeps any font from joining them.
        QCOMPARE(picture("-&gt;"), picture("-&#x200C;&gt;"));
    }

  private:
    QFont m_applicationFont;
};

LOCKSTEP_TEST(FontTest, "font_test")
#include "font_test.moc"
