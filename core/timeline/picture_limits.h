// SPDX-License-Identifier: Apache-2.0
// Maximum size of an image in pixels, shared by the command line and the drawing code.
#pragma once

namespace lockstep {

inline constexpr int kMinPictureWidth = 300;
inline constexpr int kMinPictureHeight = 100;
inline constexpr int kMaxPicturePixels = 16'384; // pixels per side

} // namespace lockstep
