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
    {copyName, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Copy name"), "Ctrl+C", QT_TRANSLATE_NOOP("lockstep::SliceCommand", "copy the slice's name")},
    {copyRow, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Copy as row"), "Ctrl+Shift+C", QT_TRANSLATE_NOOP("lockstep::SliceCommand", "copy the slice as a row of the events, with its head")},
    {zoomTo, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Zoom to"), "F", nullptr},
    {selectOnLane, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "on this lane"), "N", QT_TRANSLATE_NOOP("lockstep::SliceCommand", "select all slices of this name on the lane")},
    {selectOnRank, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "on this rank"), "Shift+N", QT_TRANSLATE_NOOP("lockstep::SliceCommand", "select all of this name on the rank")},
    {selectEverywhere, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "everywhere"), "Ctrl+Shift+N", QT_TRANSLATE_NOOP("lockstep::SliceCommand", "select all of this name everywhere")},
    {sameElsewhere, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Same slice on other ranks"), "O", QT_TRANSLATE_NOOP("lockstep::SliceCommand", "select the same slice on other ranks and steps")},
    {showInEvents, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Show in events"), "E", QT_TRANSLATE_NOOP("lockstep::SliceCommand", "list all of this name in Events")},
    {showInKernels, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Show in kernels"), "K", QT_TRANSLATE_NOOP("lockstep::SliceCommand", "find the kernel in the kernel summary")},
    {lightChain, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Light its chain"), "X", QT_TRANSLATE_NOOP("lockstep::SliceCommand", "light the call, its work, the collective and its peers; Escape ends it")},
    {criticalPath, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Critical path through it"), "C", QT_TRANSLATE_NOOP("lockstep::SliceCommand", "light the critical path of the slice's step; Escape ends it")},
    {hideName, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Hide this name"), "H", QT_TRANSLATE_NOOP("lockstep::SliceCommand", "hide all slices of this name in the lanes")},
    {showHidden, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Show hidden names"), "Shift+H", QT_TRANSLATE_NOOP("lockstep::SliceCommand", "show hidden names again")},
    {addNote, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Add note"), "Shift+M", nullptr},
    {pinLane, QT_TRANSLATE_NOOP("lockstep::SliceCommand", "Pin lane"), "P", nullptr},
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
        return spec.sheet != nullptr && QKeySequence(spec.keys) == pressed;
    };
    const auto found = std::ranges::find_if(kCommands, isPressed);
    return found == kCommands.end() ? std::nullopt : std::optional(found->command);
}

} // namespace lockstep
