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

constexpr int kMinRows = 32; // minimum number of rows per column, if all columns fit on the screen

struct LineLabels {
    QLabel* caption; // caption of the group for its first line, otherwise nullptr
    QLabel* keys;
    QLabel* text;
};

QLabel* makeLabel(const QString& text, const char* look, QWidget* parent)
{
    auto* const label = new QLabel(text, parent);
    label->setProperty(look, true);
    return label;
}

std::vector<LineLabels> makeLabels(const std::vector<SheetLine>& lines, QWidget* parent)
{
    std::vector<LineLabels> labels;
    QString group;
    for (const SheetLine& line : lines) {
        const bool isNewGroup = line.group != group;
        group = line.group;
        labels.push_back({isNewGroup ? makeLabel(group.toUpper(), "caption", parent) : nullptr,
                          makeLabel(line.keys, "strong", parent), makeLabel(line.text, "muted", parent)});
    }
    return labels;
}

// Arranges the labels in columns of at most maxRows rows; a group may continue in the next column. Called
// repeatedly with the same labels, because creating and styling labels is expensive.
void layOut(QWidget* all, const std::vector<LineLabels>& labels, int maxRows)
{
    delete all->layout();
    auto* const columns = new QHBoxLayout(all);
    columns->setContentsMargins(scaledPixels(22), scaledPixels(18), scaledPixels(22), scaledPixels(20));
    columns->setSpacing(scaledPixels(36));
    QGridLayout* grid = nullptr;
    int row = maxRows;
    for (const LineLabels& line : labels) {
        if (grid == nullptr || row + (line.caption != nullptr ? 2 : 0) >= maxRows) {
            auto* const column = new QVBoxLayout;
            grid = new QGridLayout;
            grid->setHorizontalSpacing(scaledPixels(18));
            grid->setVerticalSpacing(scaledPixels(5));
            column->addLayout(grid);
            column->addStretch(1);
            columns->addLayout(column);
            row = 0;
        }
        if (line.caption != nullptr) {
            line.caption->setContentsMargins(0, row > 0 ? scaledPixels(10) : 0, 0, 0);
            grid->addWidget(line.caption, row++, 0, 1, 2);
        }
        grid->addWidget(line.keys, row, 0);
        grid->addWidget(line.text, row++, 1);
    }
}

} // namespace

QDialog* showShortcutSheet(QWidget* parent, const std::vector<SheetLine>& lines)
{
    auto* const sheet = new QDialog(parent);
    sheet->setAttribute(Qt::WA_DeleteOnClose);
    sheet->setWindowTitle(QCoreApplication::translate("lockstep::ShortcutSheet", "Keyboard shortcuts"));
    auto* const scroll = new QScrollArea(sheet);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::StrongFocus);
    auto* const whole = new QVBoxLayout(sheet);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(scroll);
    const QSize room = parent->screen()->availableSize() - QSize(scaledPixels(40), scaledPixels(60));
    scroll->ensurePolished();
    const int bar = scroll->verticalScrollBar()->sizeHint().width() + 2 * scroll->frameWidth();
    auto* const all = new QWidget;
    scroll->setWidget(all);
    const std::vector<LineLabels> labels = makeLabels(lines, all);
    // Use as many columns as fit on the screen; if not all lines fit, the sheet scrolls.
    QSize size;
    for (int rows = kMinRows; size.isEmpty() || size.width() > room.width(); rows += kMinRows / 2) {
        layOut(all, labels, rows);
        all->ensurePolished();
        size = all->sizeHint() + QSize(bar, bar);
        if (static_cast<size_t>(rows) > 2 * lines.size()) break; // one column
    }
    sheet->resize(size.boundedTo(room));
    sheet->show();
    return sheet;
}

} // namespace lockstep
