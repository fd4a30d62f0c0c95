// SPDX-License-Identifier: Apache-2.0
// Reader of ascend_pytorch_profiler_<k>.db and msprof_<stamp>.db, the SQLite exports of torch_npu's profiler.
// Tables and columns follow msprof's documentation of its .db files; timestamps are Unix ns.
#pragma once

#include "core/readers/reader.h"

namespace lockstep {

Reader ascendDbReader();

} // namespace lockstep
