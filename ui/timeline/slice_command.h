// SPDX-License-Identifier: Apache-2.0
// SliceCommand lists the commands for the selected slice. One table holds their menu labels and keys; the
// slice menu is built from this table. Any thread.
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
    selectOnLane, // this value and the next two select all slices with the same name
    selectOnRank,
    selectEverywhere,
    selectSameOnOtherRanks,
    showInEvents,
    showInKernels,
    highlightChain,
    criticalPath,
    lastArrival,
    hideName,
    showHidden, // does not need a selected slice
    addNote,
    pinLane,
    compareStep,
    count
};

struct SliceCommandSpec {
    SliceCommand command;
    const char* text; // menu text, to be translated by sliceCommandText()
    const char* keys; // first key of the command in timelineCommands()
    bool isKeyHere;   // false if another part of the view handles the key
};

std::span<const SliceCommandSpec> sliceCommands();
const SliceCommandSpec& sliceCommandSpec(SliceCommand command);
QString sliceCommandText(const char* text);
// Returns the command for a key, or nullopt. Keys that another part of the view handles are not included.
std::optional<SliceCommand> sliceCommandOf(int key, Qt::KeyboardModifiers modifiers);

} // namespace lockstep
