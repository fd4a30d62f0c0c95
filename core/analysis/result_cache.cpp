// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/result_cache.h"

#include <algorithm>

namespace lockstep {

namespace {

// Prefixes strings with their lengths, so that no character in a name can be mistaken for a field boundary.
void addKeyText(std::string& key, std::string_view text)
{
    key += std::to_string(text.size()) + ":" + std::string(text);
}

void addKeyRanges(std::string& key, const std::vector<NumberRange>& ranges)
{
    key += "[";
    for (const NumberRange& range : ranges)
        key += std::to_string(range.first) + ".." + std::to_string(range.last) + ",";
}

std::string cacheKeyOf(const Scope& scope, std::string_view what)
{
    std::string key;
    addKeyText(key, what);
    key += std::to_string(static_cast<int>(scope.by)) + "," + std::to_string(static_cast<int>(scope.clip));
    for (const auto* const ranges :
         {&scope.ranks, &scope.steps, &scope.processes, &scope.devices, &scope.streams})
        addKeyRanges(key, *ranges);
    for (const auto* const names : {&scope.roles, &scope.hosts}) {
        key += "[";
        for (const std::string& name : *names)
            addKeyText(key, name);
    }
    key += scope.name ? "n" : "-";
    if (scope.name) addKeyText(key, scope.name->expression());
    if (scope.time)
        key += "t" + std::to_string(scope.time->begin.ns) + ".." + std::to_string(scope.time->end.ns);
    return key;
}

} // namespace

size_t tableBytes(const Table& table)
{
    size_t bytes = sizeof(Table) + table.rowCount() * sizeof(SliceRef);
    for (size_t i = 0; i < table.columnCount(); ++i) {
        const TableColumn& column = table.column(i);
        bytes += sizeof(TableColumn) + column.doc.size() + column.numbers.size() * sizeof(int64_t);
        for (size_t row = 0; row < column.texts.size(); ++row)
            bytes += sizeof(StringId) + table.text(i, row).size();
    }
    for (size_t row = 0; row < table.rowCount(); ++row)
        bytes += table.note(row).size();
    return bytes;
}

bool ResultCache::enter(const ScenePtr& scene)
{
    const bool isSame = !m_scene.owner_before(scene) && !scene.owner_before(m_scene);
    if (isSame) return true;
    if (scene->generation < m_generation) return false;
    m_entries.clear();
    m_size_bytes = 0;
    m_generation = scene->generation;
    m_scene = scene;
    return true;
}

std::shared_ptr<const Table> ResultCache::find(const ScenePtr& scene, const Scope& scope,
                                               std::string_view what)
{
    const std::string key = cacheKeyOf(scope, what);
    const std::lock_guard lock(m_mutex);
    if (!enter(scene)) return nullptr;
    const auto found = std::ranges::find(m_entries, key, &Entry::key);
    if (found == m_entries.end()) return nullptr;
    m_entries.splice(m_entries.begin(), m_entries, found);
    return found->table;
}

void ResultCache::keep(const ScenePtr& scene, const Scope& scope, std::string_view what,
                       std::shared_ptr<const Table> table)
{
    std::string key = cacheKeyOf(scope, what);
    const size_t size_bytes = tableBytes(*table) + key.size();
    const std::lock_guard lock(m_mutex);
    if (!enter(scene) || size_bytes > m_limit_bytes) return;
    const auto old = std::ranges::find(m_entries, key, &Entry::key);
    if (old != m_entries.end()) {
        m_size_bytes -= old->size_bytes;
        m_entries.erase(old);
    }
    m_entries.push_front({std::move(key), std::move(table), size_bytes});
    m_size_bytes += size_bytes;
    while (m_size_bytes > m_limit_bytes) {
        m_size_bytes -= m_entries.back().size_bytes;
        m_entries.pop_back();
    }
}

size_t ResultCache::size_bytes() const
{
    const std::lock_guard lock(m_mutex);
    return m_size_bytes;
}

size_t ResultCache::tableCount() const
{
    const std::lock_guard lock(m_mutex);
    return m_entries.size();
}

} // namespace lockstep
