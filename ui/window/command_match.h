// SPDX-License-Identifier: Apache-2.0
// commandMatch() ranks the commands of the palette by how well they match what the user typed. Pure; any
// thread.
#pragma once

#include <optional>

#include <QStringView>

namespace lockstep {

// Returns a score, greater for better matches, or nullopt if the text does not match. Each word that was
// typed must occur in the text, in any order and case: at the start of the text, at the start of a word,
// inside a word, or, at least three letters long, with its letters in order and the first one at the start of
// a word ("zfit" matches "Zoom to fit"). A word that the text lacks may also begin a word of the description,
// which counts least: "csv" finds "Save table". Cost: typed words * text length.
std::optional<int> commandMatch(QStringView typed, QStringView text, QStringView description = {});

} // namespace lockstep
