// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/shortcut_sheet.h"

#include <QCoreApplication>
#include <QDialog>
#include <QGridLayout>
#include <QLabel>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr int kFewestRows = 32; // of a column, where there is room for all columns

// Columns of so many rows; a group that ends one goes on in the next.
QWidget* makeColumns(const std::vector<SheetLine>& lines, int mostRows)
{
    auto* const all = new QWidget;
    auto* const columns = new QHBoxLayout(all);
    columns->setContentsMargins(scaledPixels(22), scaledPixels(18), scaledPixels(22), scaledPixels(20));
    columns->setSpacing(scaledPixels(36));
    QGridLayout* grid = nullptr;
    QString group;
    int row = mostRows;
    for (const SheetLine& line : lines) {
        const bool isNewGroup = line.group != group;
        if (grid == nullptr || row + (isNewGroup ? 2 : 0) >= mostRows) {
            auto* const column = new QVBoxLayout;
            grid = new QGridLayout;
            grid->setHorizontalSpacing(scaledPixels(18));
            grid->setVerticalSpacing(scaledPixels(5));
            column->addLayout(grid);
            column->addStretch(1);
            columns->addLayout(column);
            row = 0;
        }
        if (isNewGroup) {
            group = line.group;
            auto* const caption = new QLabel(group.toUpper(), all);
            caption->setProperty("caption", true);
            if (row > 0) caption->setContentsMargins(0, scaledPixels(10), 0, 0);
            grid->addWidget(caption, row++, 0, 1, 2);
        }
        auto* const keys = new QLabel(line.keys, all);
        keys->setProperty("strong", true);
        auto* const text = new QLabel(line.text, all);
        text->setProperty("muted", true);
        grid->addWidget(keys, row, 0);
        grid->addWidget(text, row++, 1);
    }
    return all;
}

} // namespace

QDialog* showShortcutSheet(QWidget* parent, const std::vector<SheetLine>& lines)
{
    auto* const sheet = new QDialog(parent);
    sheet->setAttribute(Qt::WA_DeleteOnClose);
    sheet->setWindowTitle(QCoreApplication::translate("lockstep::ShortcutSheet", "Keys and gestures"));
    auto* const scroll = new QScrollArea(sheet);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::StrongFocus);
    auto* const whole = new QVBoxLayout(sheet);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(scroll);
    const QSize room = parent->screen()->availableSize() - QSize(scaledPixels(40), scaledPixels(60));
    scroll->ensurePolished();
    const int bar = scroll->verticalScrollBar()->sizeHint().width() + 2 * scroll->frameWidth();
    // As many columns as the screen is wide; the rest is scrolled to.
    QSize size;
    for (int rows = kFewestRows; size.isEmpty() || size.width() > room.width(); rows += kFewestRows / 2) {
        scroll->setWidget(makeColumns(lines, rows)); // the one before goes
        scroll->widget()->ensurePolished();
        size = scroll->widget()->sizeHint() + QSize(bar, bar);
        if (static_cast<size_t>(rows) > 2 * lines.size()) break; // one column
    }
    sheet->resize(size.boundedTo(room));
    sheet->show();
    return sheet;
}

} // namespace lockstep
