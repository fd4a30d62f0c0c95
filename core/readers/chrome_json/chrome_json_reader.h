// SPDX-License-Identifier: Apache-2.0
// Chrome trace JSON: PyTorch (Kineto) traces of all eras and other writers of the format, plain, gzip or
// zstd.
#pragma once

#include "core/readers/reader.h"

namespace lockstep {

Reader chromeJsonReader();

} // namespace lockstep
