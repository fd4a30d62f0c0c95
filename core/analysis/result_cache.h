// SPDX-License-Identifier: Apache-2.0
// ResultCache: tables that were made of the scene of a window, so that opening one again takes no time. A
// table is known by what was asked, with its arguments, by the scope and by the scene: of another scene none
// is ever given out, and the first that a later one asks for drops all of those before. Bounded in bytes;
// what was used longest ago goes first. One for a window; any thread.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "core/analysis/scope.h"
#include "core/analysis/table.h"
#include "core/scene/scene.h"

namespace lockstep {

class ResultCache {
  public:
    static constexpr size_t kUsualLimit_bytes = size_t(64) << 20;
    explicit ResultCache(size_t limit_bytes = kUsualLimit_bytes) : m_limit_bytes(limit_bytes) {}

    // nullptr where there is none. what: "NAME[:ARGUMENT...]", as it was asked.
    std::shared_ptr<const Table> find(const ScenePtr& scene, const Scope& scope, std::string_view what);
    // Not kept: of a scene older than one that was seen here, or larger than the limit.
    void keep(const ScenePtr& scene, const Scope& scope, std::string_view what,
              std::shared_ptr<const Table> table);

    size_t size_bytes() const;
    size_t tableCount() const;

  private:
    struct Entry {
        std::string key;
        std::shared_ptr<const Table> table;
        size_t size_bytes = 0;
    };
    // False: the scene is an older one.
    bool enter(const ScenePtr& scene);

    const size_t m_limit_bytes;
    mutable std::mutex m_mutex;
    uint64_t m_generation = 0;          // of all entries
    std::weak_ptr<const Scene> m_scene; // the same; scenes that are not of one line have equal generations
    std::list<Entry> m_entries;         // the last used first
    size_t m_size_bytes = 0;
};

// What a table takes in memory, about: its numbers, names' ids and texts.
size_t heldBytes(const Table& table);

} // namespace lockstep
