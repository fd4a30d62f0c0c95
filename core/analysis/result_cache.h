// SPDX-License-Identifier: Apache-2.0
// ResultCache: caches tables computed from a window's scene, so that reopening a table is immediate. The
// cache key consists of the request with its arguments, the scope, and the scene. The first request for a
// newer scene discards all tables of earlier scenes. The size is limited in bytes; the least recently used
// entries are evicted first. One per window. Thread: any.
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
    static constexpr size_t kDefaultLimit_bytes = size_t(64) << 20;
    explicit ResultCache(size_t limit_bytes = kDefaultLimit_bytes) : m_limit_bytes(limit_bytes) {}

    // Returns nullptr if the table is not cached. what: "NAME[:ARGUMENT...]", as requested.
    std::shared_ptr<const Table> find(const ScenePtr& scene, const Scope& scope, std::string_view what);
    // Does nothing if a newer scene was already used here, or if the table is larger than the memory limit.
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
    // Returns false if the scene is older than the current one.
    bool enter(const ScenePtr& scene);

    const size_t m_limit_bytes;
    mutable std::mutex m_mutex;
    uint64_t m_generation = 0;          // scene generation of all entries
    std::weak_ptr<const Scene> m_scene; // scene of all entries; stored as well, because scenes with unrelated
                                        // histories may have equal generations
    std::list<Entry> m_entries;         // most recently used first
    size_t m_size_bytes = 0;
};

// Returns the approximate memory use of a table: its numbers, name IDs and strings.
size_t tableBytes(const Table& table);

} // namespace lockstep
