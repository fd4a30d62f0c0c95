// SPDX-License-Identifier: Apache-2.0
// SliceCommand: what the timeline can be told to do with the slice in hand: one table of texts and keys, from
// which its menu is made. Any thread.
#pragma once

#include <optional>
#include <span>

#include <QKeyEvent>
#include <QString>

namespace lockstep {

enum class SliceCommand : uint8_t {
    copyName,
    copyRow,
    zoomTo,
    selectOnLane, // all of its name, as the next two
    selectOnRank,
    selectEverywhere,
    sameElsewhere,
    showInEvents,
    showInKernels,
    lightChain,
    criticalPath,
    lastArrival,
    hideName,
    showHidden, // needs no slice
    addNote,
    pinLane,
    compareStep,
    count
};

struct SliceCommandSpec {
    SliceCommand command;
    const char* text; // of the menu, to be translated by sliceCommandText()
    const char* keys; // the first one of timelineCommands()
    bool isKeyHere;   // else another part of the view takes them
};

std::span<const SliceCommandSpec> sliceCommands();
const SliceCommandSpec& sliceCommandSpec(SliceCommand command);
QString sliceCommandText(const char* text);
// The command of a key; those that the timeline had before are none of these.
std::optional<SliceCommand> sliceCommandOf(int key, Qt::KeyboardModifiers modifiers);

} // namespace lockstep
