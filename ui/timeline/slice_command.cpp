// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/slice_command.h"

#include <algorithm>
#include <array>

#include <QCoreApplication>
#include <QKeySequence>

namespace lockstep {

namespace {

using enum SliceCommand;

// clang-format off
constexpr std::array<SliceCommandSpec, static_cast<size_t>(SliceCommand::count)> kCommands{{
    {copyName, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Copy name"), "Ctrl+C", true},
    {copyRow, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Copy as table row"), "Ctrl+Shift+C", true},
    {zoomTo, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Zoom to slice"), "F", false},
    {selectOnLane, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "In this lane"), "N", true},
    {selectOnRank, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "On this rank"), "Shift+N", true},
    {selectEverywhere, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Everywhere"), "Ctrl+Shift+N", true},
    {selectSameOnOtherRanks, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Select same slice on other ranks"), "O", true},
    {showInEvents, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Show in Events"), "E", true},
    {showInKernels, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Show in Kernels"), "K", true},
    {highlightChain, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Highlight launch chain"), "X", true},
    {criticalPath, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Highlight critical path"), "C", true},
    {lastArrival, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Go to last-arriving rank"), "J", true},
    {hideName, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Hide slices with this name"), "H", true},
    {showHidden, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Show hidden slices"), "Shift+H", true},
    {addNote, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Add note"), "Shift+M", false},
    {pinLane, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Pin lane"), "P", false},
    {compareStep, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Compare step with\u2026"), "", false},
}};
// clang-format on

} // namespace

std::span<const SliceCommandSpec> sliceCommands()
{
    return kCommands;
}

const SliceCommandSpec& sliceCommandSpec(SliceCommand command)
{
    return kCommands[static_cast<size_t>(command)];
}

QString sliceCommandText(const char* text)
{
    return QCoreApplication::translate("lockstep::SliceCommand", text);
}

std::optional<SliceCommand> sliceCommandOf(int key, Qt::KeyboardModifiers modifiers)
{
    const QKeySequence pressed(static_cast<int>(modifiers & ~Qt::KeypadModifier) | key);
    const auto isPressed = [&](const SliceCommandSpec& spec) {
        return spec.isKeyHere && QKeySequence(spec.keys) == pressed;
    };
    const auto found = std::ranges::find_if(kCommands, isPressed);
    return found == kCommands.end() ? std::nullopt : std::optional(found->command);
}

} // namespace lockstep
