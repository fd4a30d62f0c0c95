// SPDX-License-Identifier: Apache-2.0
// Virtual tables: each SqlTable becomes a read-only virtual table of one SQLite connection. Conditions and
// groupings are passed down to the table's passes.
#pragma once

#include <sqlite3.h>

#include "core/base/progress.h"
#include "core/sql/sql_scene.h"

namespace lockstep {

// Adds all tables of sqlTables(). scene and progress must outlive the connection. Returns SQLite's result
// code.
int addVirtualTables(sqlite3* database, const SqlScene& scene, const Progress& progress);

} // namespace lockstep
