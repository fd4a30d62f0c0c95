// SPDX-License-Identifier: Apache-2.0
// saveSceneFile() writes the tables of the query language to an SQLite file, with aligned times, for use by
// other tools. Thread: any.
#pragma once

#include <filesystem>

#include "core/base/progress.h"
#include "core/scene/scene.h"

namespace lockstep {

// Writes every table in sqlTables() under its name, with IDs as primary keys, and with indexes on links in
// both directions. Also writes a `documentation` table with the unit and meaning of each column. The file is
// replaced atomically; on an error the old file is kept. Errors: io, canceled.
Status saveSceneFile(const std::filesystem::path& path, const ScenePtr& scene, const Progress& progress);

} // namespace lockstep
