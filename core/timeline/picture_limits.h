// SPDX-License-Identifier: Apache-2.0
// Maximum size of an image in pixels, shared by the command line and the drawing code.
#pragma once

namespace lockstep {

inline constexpr int kLeastPictureWidth = 300;
inline constexpr int kLeastPictureHeight = 100;
inline constexpr int kMostPicturePixels = 16'384; // pixels per side

} // namespace lockstep
