// SPDX-License-Identifier: Apache-2.0
// BalanceNames: what the names of a report mean for the balance of a step, by the recipes. Not thread-safe.
#pragma once

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/session/recipes/framework_names.h"
#include "core/trace/report.h"

namespace lockstep {

// Each name is looked up once. The report must outlive this object.
class BalanceNames {
  public:
    explicit BalanceNames(const Report& report) : m_report(report)
    {
        for (const WeightPartNames& names : frameworkNames().weightParts) {
            for (const std::string& name : names.names) {
                if (auto pattern = compileWildcards(name))
                    m_parts.emplace_back(*std::move(pattern), names.part);
            }
        }
    }

    struct Meaning {
        std::optional<WeightPart> part;
        bool isBufferWait = false;
    };

    const Meaning& of(StringId name)
    {
        const auto [known, isNew] = m_known.try_emplace(name.value);
        if (!isNew) return known->second;
        const std::string lower = lowerAscii(m_report.strings.at(name));
        for (const auto& [pattern, part] : m_parts) {
            if (pattern.fullMatch(lower)) known->second.part = part;
        }
        const auto& waits = frameworkNames().bufferWaits;
        known->second.isBufferWait = std::ranges::find(waits, lower) != waits.end();
        return known->second;
    }

  private:
    const Report& m_report;
    std::vector<std::pair<Pattern, WeightPart>> m_parts;
    std::unordered_map<uint32_t, Meaning> m_known; // by StringId
};

} // namespace lockstep
