// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/timeline_command.h"

#include <algorithm>
#include <array>

#include <QCoreApplication>

#include "ui/window/key_map.h"

namespace lockstep {

namespace {

// clang-format off
constexpr std::array kTimelineCommands{
    TimelineCommandSpec{"zoomIn", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "zoom in at the cursor"), "W"},
    TimelineCommandSpec{"zoomOut", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "zoom out at the cursor"), "S"},
    TimelineCommandSpec{"earlier", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "move to earlier times"), "A Left"},
    TimelineCommandSpec{"later", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "move to later times"), "D Right"},
    TimelineCommandSpec{"fitSelection", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "fit the selection, again everything"), "F"},
    TimelineCommandSpec{"fitAll", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "fit everything"), "0"},
    TimelineCommandSpec{"foldGaps", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "open or fold the gap under the cursor, else all in sight"), "B"},
    TimelineCommandSpec{"rulerTime", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "ruler: time since 0, UTC, the report's clock in turn"), "U"},
    TimelineCommandSpec{"undoZoom", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "undo a zoom"), "Backspace Alt+Left"},
    TimelineCommandSpec{"redoZoom", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "redo a zoom"), "Alt+Right"},
    TimelineCommandSpec{"showNewest", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "follow the newest of a run that is watched"), "End"},
    TimelineCommandSpec{"previousSlice", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "previous slice in the lane"), ","},
    TimelineCommandSpec{"nextSlice", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "next slice in the lane"), "."},
    TimelineCommandSpec{"toCause", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "along links, to what caused the slice"), "["},
    TimelineCommandSpec{"toEffect", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "along links, to what the slice caused"), "]"},
    TimelineCommandSpec{"setMark", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "mark the selection, else the time under the cursor; again takes it away"), "M"},
    TimelineCommandSpec{"writeNote", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "write a note there"), "Shift+M"},
    TimelineCommandSpec{"goToTime", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "go to a time, a step, a mark or a link"), "G"},
    TimelineCommandSpec{"measure", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "measure between two points"), "T"},
    TimelineCommandSpec{"pinLane", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "pin the lane"), "P"},
    TimelineCommandSpec{"moveLaneUp", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "move the lane up among its group"), "Alt+Up"},
    TimelineCommandSpec{"moveLaneDown", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "move the lane down among its group"), "Alt+Down"},
    TimelineCommandSpec{"groupLanes", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "group and sort lanes"), "Shift+G"},
    TimelineCommandSpec{"rowHeights", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "rows compact, normal or tall in turn"), "V"},
    TimelineCommandSpec{"storeLanes", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "store these lanes as a set, under a name"), "Shift+V"},
    TimelineCommandSpec{"hideOtherLanes", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "hide all lanes but this one"), "I"},
    TimelineCommandSpec{"laneAbove", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "to the lane above, in a rank map to the rank above"), "Up"},
    TimelineCommandSpec{"laneBelow", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "to the lane below, in a rank map to the rank below"), "Down"},
    TimelineCommandSpec{"pageUp", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "scroll lanes up by half a page"), "PgUp"},
    TimelineCommandSpec{"pageDown", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "scroll lanes down by half a page"), "PgDown"},
    TimelineCommandSpec{"foldLane", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "fold or unfold the lane, open or close the rank"), "Return Enter Space"},
    TimelineCommandSpec{"sliceMenu", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "what can be done with the slice or the lane"), "Menu Shift+F10"},
    TimelineCommandSpec{"copyName", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "copy the slice's name"), "Ctrl+C"},
    TimelineCommandSpec{"copyRow", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "copy the slice as a row of the events, with its head"), "Ctrl+Shift+C"},
    TimelineCommandSpec{"selectNameOnLane", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "select all slices of this name on the lane"), "N"},
    TimelineCommandSpec{"selectNameOnRank", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "select all of this name on the rank"), "Shift+N"},
    TimelineCommandSpec{"selectNameEverywhere", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "select all of this name everywhere"), "Ctrl+Shift+N"},
    TimelineCommandSpec{"sameElsewhere", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "select the same slice on other ranks and steps"), "O"},
    TimelineCommandSpec{"showInEvents", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "list all of this name in Events"), "E"},
    TimelineCommandSpec{"showInKernels", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "find the kernel in the kernel summary"), "K"},
    TimelineCommandSpec{"lightChain", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "light the call, its work, the collective and its peers"), "X"},
    TimelineCommandSpec{"criticalPath", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "light the critical path of the slice's step"), "C"},
    TimelineCommandSpec{"lastArrival", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "to the rank that the collective waited for"), "J"},
    TimelineCommandSpec{"hideName", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "hide all slices of this name in the lanes"), "H"},
    TimelineCommandSpec{"showHiddenNames", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "show hidden names again"), "Shift+H"},
    TimelineCommandSpec{"recallView", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "go to a stored view"), "1 2 3 4 5 6 7 8 9", true},
    TimelineCommandSpec{"storeView", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "store this view"), "Ctrl+1 Ctrl+2 Ctrl+3 Ctrl+4 Ctrl+5 Ctrl+6 Ctrl+7 Ctrl+8 Ctrl+9", true},
    TimelineCommandSpec{"letGo", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "let go of what is dragged or lit; deselect"), "Esc", true},
};
// clang-format on

QKeyCombination firstOf(const QKeySequence& keys)
{
    return keys[0];
}

QKeyCombination withoutKeypad(QKeyCombination pressed)
{
    return QKeyCombination(pressed.keyboardModifiers() & ~(Qt::KeypadModifier | Qt::GroupSwitchModifier),
                           pressed.key());
}

} // namespace

std::span<const TimelineCommandSpec> timelineCommands()
{
    return kTimelineCommands;
}

QString timelineCommandText(const char* text)
{
    return QCoreApplication::translate("lockstep::TimelineCommand", text);
}

TimelineKeys::TimelineKeys(const KeyMap& map)
{
    for (const TimelineCommandSpec& spec : kTimelineCommands) {
        const QList<QKeySequence> first = keysFromText(spec.keys);
        if (spec.isFixed) { // each of its keys is one of its own
            for (const QKeySequence& keys : first)
                m_lines.push_back({firstOf(keys), firstOf(keys)});
            continue;
        }
        for (const QKeySequence& keys : map.keysOf(spec.name))
            m_lines.push_back({firstOf(keys), firstOf(first.front())});
    }
}

std::optional<QKeyCombination> TimelineKeys::meant(QKeyCombination pressed) const
{
    pressed = withoutKeypad(pressed);
    if (m_lines.empty()) return pressed;
    const auto found = std::ranges::find(m_lines, pressed, &Line::pressed);
    if (found != m_lines.end()) return found->meant;
    // Shift and a letter is a command of its own, whether it has one or not.
    const bool isLetter = pressed.key() < Qt::Key_Escape && QChar::isLetter(static_cast<uint>(pressed.key()));
    if (isLetter || (pressed.keyboardModifiers() & Qt::ShiftModifier) == 0) return std::nullopt;
    return meant(QKeyCombination(pressed.keyboardModifiers() & ~Qt::ShiftModifier, pressed.key()));
}

QString TimelineKeys::shown(const char* firstKey) const
{
    const QKeySequence first = QKeySequence::fromString(firstKey, QKeySequence::PortableText);
    if (m_lines.empty()) return first.toString(QKeySequence::NativeText);
    const auto found = std::ranges::find(m_lines, firstOf(first), &Line::meant);
    return found == m_lines.end() ? QString()
                                  : QKeySequence(found->pressed).toString(QKeySequence::NativeText);
}

} // namespace lockstep
