// SPDX-License-Identifier: Apache-2.0
// ascend_pytorch_profiler_<k>.db and msprof_<stamp>.db: the SQLite form of what torch_npu's profiler exports.
// Tables and columns as msprof's documentation of its .db data names them; stamps are Unix ns.
#pragma once

#include "core/readers/reader.h"

namespace lockstep {

Reader ascendDbReader();

} // namespace lockstep
