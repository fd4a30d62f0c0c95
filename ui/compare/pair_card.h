// SPDX-License-Identifier: Apache-2.0
// pairCard(): what the card over a comparison says of the pair in hand: name, start and duration in both
// halves, the change of each in words, and by which rule the two are the same. UI thread.
#pragma once

#include "core/timeline/compared_halves.h"
#include "ui/compare/pair_overlay.h"

namespace lockstep {

PairOverlay::Card pairCard(const ComparedHalves& halves, const SlicePair& pair);

} // namespace lockstep
