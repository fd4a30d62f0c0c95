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
    TimelineCommandSpec{"earlier", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "pan left (earlier)"), "A Left"},
    TimelineCommandSpec{"later", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "pan right (later)"), "D Right"},
    TimelineCommandSpec{"fitSelection", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "zoom to selection; again: zoom to fit"), "F"},
    TimelineCommandSpec{"fitAll", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "zoom to fit"), "0"},
    TimelineCommandSpec{"foldGaps", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "expand/collapse the gap "
                                        "under the cursor, or all gaps in view"), "B"},
    TimelineCommandSpec{"rulerTime", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "cycle the time axis: relative, UTC, report clock"), "U"},
    TimelineCommandSpec{"undoZoom", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "undo zoom"), "Backspace Alt+Left"},
    TimelineCommandSpec{"redoZoom", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "redo zoom"), "Alt+Right"},
    TimelineCommandSpec{"showNewest", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "follow the newest data of a live run"), "End"},
    TimelineCommandSpec{"previousSlice", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "previous slice in the lane"), ","},
    TimelineCommandSpec{"nextSlice", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "next slice in the lane"), "."},
    TimelineCommandSpec{"toCause", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "follow flow back (kernel to launch)"), "["},
    TimelineCommandSpec{"toEffect", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "follow flow forward (launch to kernel)"), "]"},
    TimelineCommandSpec{"setMark", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "toggle a marker on the selection or at the cursor"), "M"},
    TimelineCommandSpec{"writeNote", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "add a note to the selection or at the cursor"), "Shift+M"},
    TimelineCommandSpec{"goToTime", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "go to a time, step, marker or link"), "G"},
    TimelineCommandSpec{"measure", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "measure between two points"), "T"},
    TimelineCommandSpec{"pinLane", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "pin/unpin the lane"), "P"},
    TimelineCommandSpec{"moveLaneUp", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "move the lane up within its group"), "Alt+Up"},
    TimelineCommandSpec{"moveLaneDown", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "move the lane down within its group"), "Alt+Down"},
    TimelineCommandSpec{"groupLanes", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "group and sort lanes"), "Shift+G"},
    TimelineCommandSpec{"rowHeights", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "cycle the row height"), "V"},
    TimelineCommandSpec{"storeLanes", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "save the lane layout under a name"), "Shift+V"},
    TimelineCommandSpec{"hideOtherLanes", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "show only this lane"), "I"},
    TimelineCommandSpec{"laneAbove", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "select the lane above (in a rank map: the rank above)"), "Up"},
    TimelineCommandSpec{"laneBelow", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "select the lane below (in a rank map: the rank below)"), "Down"},
    TimelineCommandSpec{"pageUp", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "scroll lanes up half a page"), "PgUp"},
    TimelineCommandSpec{"pageDown", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "scroll lanes down half a page"), "PgDown"},
    TimelineCommandSpec{"foldLane", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "expand/collapse the lane or the rank"), "Return Enter Space"},
    TimelineCommandSpec{"sliceMenu", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "open the context menu of the slice or lane"), "Menu Shift+F10"},
    TimelineCommandSpec{"copyName", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "copy the slice name"), "Ctrl+C"},
    TimelineCommandSpec{"copyRow", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "copy the slice as a table row (with header)"), "Ctrl+Shift+C"},
    TimelineCommandSpec{"selectNameOnLane", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "select all slices with this name in this lane"), "N"},
    TimelineCommandSpec{"selectNameOnRank", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "select all slices with this name on this rank"), "Shift+N"},
    TimelineCommandSpec{"selectNameEverywhere", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "select all slices with this name everywhere"), "Ctrl+Shift+N"},
    TimelineCommandSpec{"sameElsewhere", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "select the same slice on other ranks and steps"), "O"},
    TimelineCommandSpec{"showInEvents", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "list all slices with this name in Events"), "E"},
    TimelineCommandSpec{"showInKernels", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "find the kernel in Kernels"), "K"},
    TimelineCommandSpec{"lightChain", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "highlight launch, kernel, collective and peers"), "X"},
    TimelineCommandSpec{"criticalPath", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "highlight the critical path of the slice's step"), "C"},
    TimelineCommandSpec{"lastArrival", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "go to the last-arriving rank of the collective"), "J"},
    TimelineCommandSpec{"hideName", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "hide slices with this name in the lanes"), "H"},
    TimelineCommandSpec{"showHiddenNames", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "show hidden slices"), "Shift+H"},
    TimelineCommandSpec{"recallView", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "go to a saved view"), "1 2 3 4 5 6 7 8 9", true},
    TimelineCommandSpec{"storeView", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "save this view"), "Ctrl+1 Ctrl+2 Ctrl+3 Ctrl+4 Ctrl+5 Ctrl+6 Ctrl+7 Ctrl+8 Ctrl+9", true},
    TimelineCommandSpec{"letGo", QT_TRANSLATE_NOOP("lockstep::TimelineCommand", "cancel a drag, clear the highlight, deselect"), "Esc", true},
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
        if (spec.isFixed) { // each key is a separate command
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
    // Shift plus a letter never falls back to the letter alone.
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
