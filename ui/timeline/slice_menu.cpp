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

constexpr int kWidth = 306, kSide = 14; // px at scale 1

QString withCount(const char* text, uint64_t count)
{
    return sliceCommandText(text) + QString::fromUtf8("\u2003") +
           QString::fromStdString(groupedText(static_cast<int64_t>(count)));
}

} // namespace

SliceMenu::SliceMenu(const Words& words, QWidget* parent) : QMenu(parent), m_keys(words.keys)
{
    using enum SliceCommand;
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName("sliceMenu");
    setAccessibleName(tr("Slice %1").arg(words.name));
    setMinimumWidth(scaledPixels(kWidth));
    setStyleSheet(
        QString("QMenu::item { padding: %1px %2px; }").arg(scaledPixels(4)).arg(scaledPixels(kSide)));
    addHead(words);
    addSeparator();
    add(*this, copyName);
    add(*this, copyRow);
    add(*this, zoomTo);
    addSeparator();
    m_scopes = addMenu(tr("Select all slices with this name"));
    m_scopes->setMinimumWidth(scaledPixels(250));
    add(*m_scopes, selectOnLane);
    add(*m_scopes, selectOnRank);
    add(*m_scopes, selectEverywhere);
    add(*this, selectSameOnOtherRanks);
    add(*this, showInEvents);
    add(*this, showInKernels)->setEnabled(words.isKernel);
    addSeparator();
    add(*this, highlightChain);
    add(*this, criticalPath);
    add(*this, lastArrival)->setEnabled(words.isCommunication);
    add(*this, compareStep);
    addSeparator();
    add(*this, hideName);
    if (words.hiddenNames > 0)
        add(*this, showHidden,
            tr("Show hidden slices (%n name(s))", nullptr, static_cast<int>(words.hiddenNames)));
    add(*this, addNote);
    add(*this, pinLane, words.isPinned ? tr("Unpin lane") : QString());
}

// Kernel names are shortened like their labels in the lanes: arguments are dropped first.
void SliceMenu::addHead(const Words& words)
{
    auto* const head = new QWidget(this);
    auto* const column = new QVBoxLayout(head);
    column->setContentsMargins(scaledPixels(kSide), scaledPixels(6), scaledPixels(kSide), scaledPixels(4));
    column->setSpacing(scaledPixels(2));
    const auto line = [&](const QString& text, bool isBold) {
        auto* const label = new QLabel(head);
        label->setTextFormat(Qt::PlainText);
        QFont font = isBold ? interfaceFont(scaledPixels(100) / 100.0) : smallFont(scaledPixels(100) / 100.0);
        if (isBold) font.setWeight(QFont::DemiBold);
        label->setFont(font);
        label->setProperty("muted", !isBold);
        const int room = scaledPixels(kWidth - 2 * kSide);
        // The text is measured in the regular font; bold letters are about a tenth wider.
        label->setText(
            isBold && words.isKernel
                ? QString::fromStdString(
                      elideKernel(text.toStdString(), static_cast<float>(room) * 0.9f, labelFontOf(font)))
                : QFontMetrics(font).elidedText(text, isBold ? Qt::ElideMiddle : Qt::ElideRight, room));
        label->setToolTip(text);
        column->addWidget(label);
    };
    line(words.name, true);
    line(words.facts, false);
    auto* const action = new QWidgetAction(this);
    action->setDefaultWidget(head);
    action->setEnabled(false); // an information line, not a command
    head->setEnabled(true);
    addAction(action);
}

QAction* SliceMenu::add(QMenu& menu, SliceCommand command, const QString& text)
{
    const QString words = text.isEmpty() ? sliceCommandText(sliceCommandSpec(command).text) : text;
    QAction* const action = menu.addAction(withKey(words, command));
    connect(action, &QAction::triggered, this, [this, command] { emit chosen(command); });
    m_actions[command] = action;
    return action;
}

QString SliceMenu::withKey(const QString& words, SliceCommand command) const
{
    const QString key = m_keys.shown(sliceCommandSpec(command).keys);
    return key.isEmpty() ? words : words + '\t' + key;
}

void SliceMenu::setCounts(const NameCounts& counts)
{
    const auto say = [&](SliceCommand command, uint64_t count) {
        m_actions.at(command)->setText(withKey(withCount(sliceCommandSpec(command).text, count), command));
    };
    say(SliceCommand::selectOnLane, counts.lane);
    say(SliceCommand::selectOnRank, counts.rank);
    say(SliceCommand::selectEverywhere, counts.everywhere);
}

} // namespace lockstep
