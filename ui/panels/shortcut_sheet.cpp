// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/shortcut_sheet.h"

#include <QCoreApplication>
#include <QDialog>
#include <QGridLayout>
#include <QLabel>
#include <QScreen>
#include <QScrollArea>
#include <QVBoxLayout>

#include "ui/style/style_sheet.h"

namespace lockstep {

QDialog* showShortcutSheet(QWidget* parent, const std::vector<SheetLine>& lines)
{
    auto* const sheet = new QDialog(parent);
    sheet->setAttribute(Qt::WA_DeleteOnClose);
    sheet->setWindowTitle(QCoreApplication::translate("lockstep::ShortcutSheet", "Keys and gestures"));
    auto* const all = new QWidget(sheet);
    auto* const columns = new QHBoxLayout(all);
    columns->setContentsMargins(scaledPixels(22), scaledPixels(18), scaledPixels(22), scaledPixels(20));
    columns->setSpacing(scaledPixels(36));
    constexpr int kMostRows = 32;
    QGridLayout* grid = nullptr;
    QString group;
    int row = kMostRows;
    for (const SheetLine& line : lines) {
        const bool isNewGroup = line.group != group;
        if (grid == nullptr || row + (isNewGroup ? 2 : 0) >= kMostRows) {
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
            auto* const caption = new QLabel(group.toUpper(), sheet);
            caption->setProperty("caption", true);
            if (row > 0) caption->setContentsMargins(0, scaledPixels(10), 0, 0);
            grid->addWidget(caption, row++, 0, 1, 2);
        }
        auto* const keys = new QLabel(line.keys, sheet);
        keys->setProperty("strong", true);
        auto* const text = new QLabel(line.text, sheet);
        text->setProperty("muted", true);
        grid->addWidget(keys, row, 0);
        grid->addWidget(text, row++, 1);
    }
    auto* const scroll = new QScrollArea(sheet); // screens may be small
    scroll->setWidget(all);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::StrongFocus);
    auto* const whole = new QVBoxLayout(sheet);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(scroll);
    const QSize room = parent->screen()->availableSize() - QSize(scaledPixels(40), scaledPixels(60));
    const int bar = scaledPixels(12);
    sheet->resize((all->sizeHint() + QSize(bar, bar)).boundedTo(room));
    sheet->show();
    return sheet;
}

} // namespace lockstep
