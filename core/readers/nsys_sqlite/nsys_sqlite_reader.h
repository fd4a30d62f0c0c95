// Nsight Systems SQLite exports (`nsys export -t sqlite`), schemas of 2021 to 2026, probed table by table.
#pragma once

#include "core/readers/reader.h"

namespace lockstep {

Reader nsysSqliteReader();

} // namespace lockstep
