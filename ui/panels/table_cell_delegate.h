// SPDX-License-Identifier: Apache-2.0
// TableCellDelegate: how a table's cell is painted: figures on equal widths and to the right, a line below
// each row, the current row tinted over its whole width. UI thread.
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
    // The model's row to tint; -1 for none.
    void setCurrentRow(int row) { m_currentRow = row; }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

    // Width of text with every digit as wide as the widest one.
    static int tabularWidth(const QFontMetrics& metrics, const QString& text);
    // A C++ function's name without what tells least, as much as the width asks for: parameters, template
    // arguments, namespaces. What is left may still be too long.
    static QString shortenedFunction(const QString& name, const QFontMetrics& metrics, int width);

  protected:
    // Where the cell's words go, of what it has between its margins.
    virtual QRect wordsIn(const QRect& inner, const QModelIndex&) const { return inner; }
    // Its words are a C++ function's name, or may be one.
    virtual bool isFunction(const QModelIndex& index) const;

  private:
    // What of a font is worked out once: laying out text is most of a frame.
    struct Face {
        QFont font;
        QRawFont raw;
        int digitWidth = 0;
        QHash<QChar, std::pair<quint32, int>> glyphs; // and how far each goes on, px
        QCache<QString, QStaticText> lines;           // by width, mode and text
        QCache<QString, QString> functions;           // by width and name: what is left of it
    };
    Face& faceOf(const QFont& font) const;
    static void drawTabular(QPainter& painter, Face& face, const QRect& rect, const QString& whole);
    static void drawLine(QPainter& painter, Face& face, const QRect& rect, const QString& text,
                         Qt::TextElideMode mode);

    mutable std::vector<std::unique_ptr<Face>> m_faces; // few
    const Theme* m_theme = &lightTheme();
    int m_currentRow = -1;
};

} // namespace lockstep
