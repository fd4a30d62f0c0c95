// SPDX-License-Identifier: Apache-2.0
// TableCellDelegate paints a table cell: right-aligned digits of equal width, a line below each row, and the
// current row tinted over its whole width. UI thread.
#pragma once

#include <memory>
#include <vector>

#include <QCache>
#include <QGlyphRun>
#include <QHash>
#include <QRawFont>
#include <QStaticText>
#include <QStyledItemDelegate>

#include "ui/style/theme.h"

namespace lockstep {

class TableCellDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    explicit TableCellDelegate(QObject* parent = nullptr);

    void setTheme(const Theme& theme) { m_theme = &theme; }
    // Sets the model row to tint; -1 for none.
    void setCurrentRow(int row) { m_currentRow = row; }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

    // Returns how a text that is too long for its cell is elided.
    static Qt::TextElideMode elideMode(const QStyleOptionViewItem& option);
    // Returns the width of the text if every digit is drawn as wide as the widest digit.
    static int tabularWidth(const QFontMetrics& metrics, const QString& text);
    // Shortens the name of a C++ function to fit the width: omits parameters, template arguments and
    // namespaces as needed. The result may still be too long.
    static QString shortenedFunction(const QString& name, const QFontMetrics& metrics, int width);

  protected:
    // Returns the part of the cell's inner rectangle that is available to the text.
    virtual QRect textRectIn(const QRect& inner, const QModelIndex&) const { return inner; }
    // Returns whether the text is, or may be, the name of a C++ function.
    virtual bool isFunction(const QModelIndex& index) const;

  private:
    // Face holds cached data for a font, because text layout takes most of the time needed to draw a frame.
    struct Face {
        QFont font;
        QRawFont raw;
        int digitWidth = 0;
        QHash<QChar, std::pair<quint32, int>> glyphs; // glyph index, and advance in px
        QCache<QString, QStaticText> lines;           // keyed by width, mode and text
        QCache<QString, QString> functions;           // shortened names, keyed by width and name
    };
    Face& faceOf(const QFont& font) const;
    static void drawTabular(QPainter& painter, Face& face, const QRect& rect, const QString& whole);
    static void drawLine(QPainter& painter, Face& face, const QRect& rect, const QString& text,
                         Qt::TextElideMode mode);

    mutable std::vector<std::unique_ptr<Face>> m_faces; // at most kMaxFaces
    const Theme* m_theme = &lightTheme();
    int m_currentRow = -1;
};

} // namespace lockstep
