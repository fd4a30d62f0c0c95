// SPDX-License-Identifier: Apache-2.0
// The tables of the query language as SQLite sees them: each SqlTable becomes a read-only virtual table of
// one connection, whose conditions and groupings are handed down to its passes.
#pragma once

#include <sqlite3.h>

#include "core/base/progress.h"
#include "core/sql/sql_scene.h"

namespace lockstep {

// Adds all of sqlTables(). scene and progress outlive the connection. Returns SQLite's code.
int addVirtualTables(sqlite3* database, const SqlScene& scene, const Progress& progress);

} // namespace lockstep
