// SPDX-License-Identifier: Apache-2.0
// cachedAnalysis() returns the function that a LatestJob runs: it computes the table of one analysis for a
// scene, and stores the table in the window's ResultCache. Call cachedAnalysis() on the UI thread; the work
// may run on any thread.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "core/analysis/analysis.h"
#include "core/analysis/result_cache.h"

namespace lockstep {

inline auto cachedAnalysis(std::shared_ptr<ResultCache> results, std::string what, ScenePtr scene,
                           Scope scope)
{
    return [results = std::move(results), what = std::move(what), scene = std::move(scene),
            scope = std::move(scope)](const Progress& progress) -> Result<std::shared_ptr<const Table>> {
        Table made = LOCKSTEP_TRY(runAnalysis(what, *scene, scope, progress));
        auto table = std::make_shared<const Table>(std::move(made));
        results->keep(scene, scope, what, table);
        return table;
    };
}

} // namespace lockstep
