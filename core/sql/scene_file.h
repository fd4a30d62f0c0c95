// SPDX-License-Identifier: Apache-2.0
// saveSceneFile(): the tables of the query language as an SQLite file of their own, in aligned time, for
// tools that know nothing of Lockstep. Any thread.
#pragma once

#include <filesystem>

#include "core/base/progress.h"
#include "core/scene/scene.h"

namespace lockstep {

// Every table of sqlTables() under its name, ids as primary keys, links indexed both ways, and
// `documentation`: table, column, unit and meaning of each. Appears whole or not at all; what was there
// before stays until then. io, canceled.
Status saveSceneFile(const std::filesystem::path& path, const ScenePtr& scene, const Progress& progress);

} // namespace lockstep
