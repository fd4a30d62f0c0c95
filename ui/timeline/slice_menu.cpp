// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/slice_menu.h"

#include <QLabel>
#include <QVBoxLayout>
#include <QWidgetAction>

#include "core/base/text.h"
#include "core/timeline/elide.h"
#include "ui/style/style_sheet.h"
#include "ui/timeline/timeline_font.h"

namespace lockstep {

namespace {

constexpr int kWidth = 306, kSideMargin = 14; // px at scale 1

QString withCount(CommandId command, uint64_t count)
{
    return sliceMenuTitle(command) + QString::fromUtf8("\u2003") +
           QString::fromStdString(groupedText(static_cast<int64_t>(count)));
}

} // namespace

SliceMenu::SliceMenu(const Content& content, QWidget* parent) : QMenu(parent), m_keys(content.keys)
{
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName("sliceMenu");
    setAccessibleName(tr("Slice %1").arg(content.name));
    setMinimumWidth(scaledPixels(kWidth));
    setStyleSheet(
        QString("QMenu::item { padding: %1px %2px; }").arg(scaledPixels(4)).arg(scaledPixels(kSideMargin)));
    addHeader(content);
    m_scopes = new QMenu(tr("Select all slices with this name"), this);
    m_scopes->setMinimumWidth(scaledPixels(250));
    for (auto group = SliceGroup::copy; group != SliceGroup::count;
         group = static_cast<SliceGroup>(static_cast<int>(group) + 1)) {
        const bool isSubmenu = group == SliceGroup::sameName;
        if (group != SliceGroup::find) addSeparator();
        if (isSubmenu) addMenu(m_scopes);
        for (const CommandSpec& spec : commandSpecs()) {
            if (spec.slice == group) add(isSubmenu ? *m_scopes : *this, spec.id, content);
        }
    }
}

// Kernel names are shortened like their labels in the lanes: arguments are dropped first.
void SliceMenu::addHeader(const Content& content)
{
    auto* const header = new QWidget(this);
    auto* const column = new QVBoxLayout(header);
    column->setContentsMargins(scaledPixels(kSideMargin), scaledPixels(6), scaledPixels(kSideMargin),
                               scaledPixels(4));
    column->setSpacing(scaledPixels(2));
    const auto line = [&](const QString& text, bool isBold) {
        auto* const label = new QLabel(header);
        label->setTextFormat(Qt::PlainText);
        QFont font = isBold ? interfaceFont(scaledPixels(100) / 100.0) : smallFont(scaledPixels(100) / 100.0);
        if (isBold) font.setWeight(QFont::DemiBold);
        label->setFont(font);
        label->setProperty("muted", !isBold);
        const int room = scaledPixels(kWidth - 2 * kSideMargin);
        // The text is measured in the regular font; bold letters are about a tenth wider.
        label->setText(
            isBold && content.isKernel
                ? QString::fromStdString(
                      elideKernel(text.toStdString(), static_cast<float>(room) * 0.9f, labelFontOf(font)))
                : QFontMetrics(font).elidedText(text, isBold ? Qt::ElideMiddle : Qt::ElideRight, room));
        label->setToolTip(text);
        column->addWidget(label);
    };
    line(content.name, true);
    line(content.facts, false);
    auto* const action = new QWidgetAction(this);
    action->setDefaultWidget(header);
    action->setEnabled(false); // an information line, not a command
    header->setEnabled(true);
    addAction(action);
}

void SliceMenu::add(QMenu& menu, CommandId command, const Content& content)
{
    if (command == CommandId::showHiddenNames && content.hiddenNames == 0) return;
    QString text = sliceMenuTitle(command);
    if (command == CommandId::showHiddenNames)
        text = tr("Show hidden slices (%n name(s))", nullptr, static_cast<int>(content.hiddenNames));
    if (command == CommandId::pinLane && content.isPinned) text = tr("Unpin lane");
    QAction* const action = menu.addAction(withKey(text, command));
    action->setEnabled((command != CommandId::showInKernels || content.isKernel) &&
                       (command != CommandId::lastArrival || content.isCommunication));
    connect(action, &QAction::triggered, this, [this, command] { emit chosen(command); });
    m_actions[command] = action;
}

QString SliceMenu::withKey(const QString& text, CommandId command) const
{
    const QString key = m_keys.shown(command);
    return key.isEmpty() ? text : text + '\t' + key;
}

void SliceMenu::setCounts(const NameCounts& counts)
{
    const auto show = [&](CommandId command, uint64_t count) {
        m_actions.at(command)->setText(withKey(withCount(command, count), command));
    };
    show(CommandId::selectNameOnLane, counts.lane);
    show(CommandId::selectNameOnRank, counts.rank);
    show(CommandId::selectNameEverywhere, counts.everywhere);
}

} // namespace lockstep
