// SPDX-License-Identifier: Apache-2.0
// Reader of Chrome trace JSON: PyTorch (Kineto) traces of all versions and other writers of the format;
// uncompressed, gzip or zstd.
#pragma once

#include "core/readers/reader.h"

namespace lockstep {

Reader chromeJsonReader();

} // namespace lockstep
