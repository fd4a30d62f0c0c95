// SPDX-License-Identifier: Apache-2.0
// How large a picture may be, in pixels: said once for the command line and for what draws.
#pragma once

namespace lockstep {

inline constexpr int kLeastPictureWidth = 300;
inline constexpr int kLeastPictureHeight = 100;
inline constexpr int kMostPicturePixels = 16'384; // a side

} // namespace lockstep
