// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/rl_phase.h"

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/pattern.h"
#include "core/base/text.h"
#include "core/session/recipes/framework_names.h"

namespace lockstep {

namespace {

// The phases of all range names. Most names of a report are in no recipe, and a report may have 10^5 names:
// exact names are hashed, and names with '*' are tried only if one pattern of them all matches.
class PhaseNames {
  public:
    explicit PhaseNames(PhaseSource source)
    {
        std::string any;
        for (const RangeNames& range : frameworkNames().ranges) {
            if (!range.phase || (range.isRecord && source == PhaseSource::trace)) continue;
            for (const std::string& name : range.names) {
                addToDoc(*range.phase, range, name);
                if (name.find('*') == std::string::npos) {
                    m_exact[name].push_back({range.in, *range.phase, {}});
                } else if (auto pattern = compileWildcards(name)) {
                    any += (any.empty() ? "" : "|") + pattern->expression();
                    m_wild.push_back({range.in, *range.phase, *std::move(pattern)});
                }
            }
        }
        if (auto pattern = Pattern::compile(any)) m_anyWild = *std::move(pattern);
    }

    std::optional<RlPhase> phaseOf(std::string_view name, std::string_view role) const
    {
        const std::string lower = lowerAscii(name);
        if (const auto found = m_exact.find(lower); found != m_exact.end()) return pick(found->second, role);
        if (m_wild.empty() || !m_anyWild.fullMatch(lower)) return {};
        std::vector<Entry> matching;
        for (const Entry& entry : m_wild) {
            if (entry.pattern.fullMatch(lower)) matching.push_back(entry);
        }
        return pick(matching, role);
    }

    std::string_view docOf(RlPhase phase) const { return m_docs[static_cast<size_t>(phase)]; }

  private:
    struct Entry {
        std::string in; // role; "" = any
        RlPhase phase;
        Pattern pattern; // of a name with '*'
    };

    // An entry for this role precedes those for all; otherwise the first applies.
    static std::optional<RlPhase> pick(const std::vector<Entry>& entries, std::string_view role)
    {
        for (const bool isForRole : {true, false}) {
            for (const Entry& entry : entries) {
                if (entry.in.empty() != isForRole && (entry.in.empty() || entry.in == role))
                    return entry.phase;
            }
        }
        return {};
    }

    void addToDoc(RlPhase phase, const RangeNames& range, const std::string& name)
    {
        std::string& doc = m_docs[static_cast<size_t>(phase)];
        doc += (doc.empty() ? "" : ", ") + name + (range.in.empty() ? "" : " in " + range.in);
    }

    std::unordered_map<std::string, std::vector<Entry>> m_exact;
    std::vector<Entry> m_wild;
    Pattern m_anyWild;
    std::array<std::string, kRlPhases> m_docs;
};

const PhaseNames& phaseNames(PhaseSource source)
{
    static const PhaseNames kTraces(PhaseSource::trace), kRecords(PhaseSource::record);
    return source == PhaseSource::trace ? kTraces : kRecords;
}

} // namespace

std::string_view rlPhaseDoc(RlPhase phase)
{
    return phaseNames(PhaseSource::record).docOf(phase);
}

std::optional<RlPhase> rlPhaseOf(std::string_view name, std::string_view role, PhaseSource source)
{
    return phaseNames(source).phaseOf(name, role);
}

} // namespace lockstep
