// SPDX-License-Identifier: Apache-2.0
// pairCard() returns the content of the card over a comparison for the selected pair: the name, the start and
// duration on both sides, a description of each change, and the rule that matched the slices. UI thread.
#pragma once

#include "core/compare/compared_sides.h"
#include "ui/compare/pair_overlay.h"

namespace lockstep {

PairOverlay::Card pairCard(const ComparedSides& halves, const SlicePair& pair);

} // namespace lockstep
