// SPDX-License-Identifier: Apache-2.0
#include "core/align/spanning_groups.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "core/align/group_matching.h"

namespace lockstep {

namespace {

// Minimum number of operations recorded by several roles if overlap in time is the evidence.
constexpr size_t kMinMeetings = 2;
constexpr int64_t kMeetingSlack_ns = 1'000'000;

// Returns true for NCCL's 64-bit hash as a string. PyTorch numbers its groups, so its names are short.
bool isCommunicatorId(std::string_view name)
{
    constexpr size_t kMinDigits = 12;
    return name.size() >= kMinDigits && name.find_first_not_of("0123456789") == std::string_view::npos;
}

class SpanningGroup {
  public:
    SpanningGroup(const std::vector<CollectiveRank>& ranks, const ClockPartition& partition,
                  const GroupUnion& first, uint32_t size)
        : m_ranks(ranks), m_partition(partition), m_name(first.name), m_size(size)
    {
    }

    void add(const GroupUnion& one)
    {
        m_members.insert(m_members.end(), one.members.begin(), one.members.end());
    }

    // Returns true if all added members form one group.
    bool isOne()
    {
        if (!findOwners()) return false;
        if (isCommunicatorId(m_name)) return true;
        if (m_size == CollectiveOp::kAbsent || !isEveryPlaceKnown()) return false;
        return isLargerThanJobs() || (m_owners.size() == m_size && meetsInTime());
    }

    std::string world() const
    {
        std::set<std::string> roles;
        for (const GroupMember member : m_members)
            roles.insert(m_ranks[member.rank].role);
        std::string text;
        for (const std::string& role : roles)
            text += (text.empty() ? "" : " + ") + role;
        return m_ranks[m_members.front().rank].run + "|" + text + "|" +
               (m_size == CollectiveOp::kAbsent ? "" : std::to_string(m_size));
    }

    const std::vector<GroupMember>& members() const { return m_members; }

  private:
    uint32_t placeOf(GroupMember member) const { return m_ranks[member.rank].groups[member.group].ownRank; }

    bool isEveryPlaceKnown() const
    {
        return std::ranges::all_of(m_members,
                                   [&](GroupMember m) { return placeOf(m) != CollectiveOp::kAbsent; });
    }

    // Returns false if two processes have the same position. A process may have several reports in sequence.
    bool findOwners()
    {
        m_owners.clear();
        for (const GroupMember member : m_members) {
            if (placeOf(member) == CollectiveOp::kAbsent) continue;
            const RankOwner owner = ownerOf(m_ranks, member.rank);
            if (m_owners.try_emplace(placeOf(member), owner).first->second != owner) return false;
        }
        return true;
    }

    bool isLargerThanJobs() const
    {
        return std::ranges::all_of(m_members, [&](GroupMember m) {
            const uint32_t world = m_ranks[m.rank].worldSize;
            return world != CollectiveOp::kAbsent && world < m_size;
        });
    }

    bool meetsInTime() const
    {
        struct Meeting {
            int64_t lastStart_ns = std::numeric_limits<int64_t>::min();
            int64_t firstEnd_ns = std::numeric_limits<int64_t>::max();
            std::set<std::string_view> worlds;
        };
        std::map<uint64_t, Meeting> meetings; // by sequence number
        for (const GroupMember member : m_members) {
            const CollectiveRank& rank = m_ranks[member.rank];
            if (!m_partition.sharesClock(rank.report, m_ranks[m_members.front().rank].report)) return false;
            for (const Collective& c : collectivesOfMember(m_ranks, member)) {
                if (c.sequence == CollectiveOp::kAbsentCount || c.dependency != Dependency::all) continue;
                Meeting& meeting = meetings[c.sequence];
                const int64_t toAxis_ns = m_partition.hostToAxis_ns[rank.report];
                meeting.lastStart_ns = std::max(meeting.lastStart_ns, c.start.ns + toAxis_ns);
                meeting.firstEnd_ns = std::min(meeting.firstEnd_ns, c.end.ns + toAxis_ns);
                meeting.worlds.insert(rank.world);
            }
        }
        size_t met = 0;
        for (const auto& [number, meeting] : meetings) {
            if (meeting.worlds.size() < 2) continue;
            if (meeting.lastStart_ns > meeting.firstEnd_ns + kMeetingSlack_ns) return false;
            ++met;
        }
        return met >= kMinMeetings;
    }

    const std::vector<CollectiveRank>& m_ranks;
    const ClockPartition& m_partition;
    const std::string& m_name;
    const uint32_t m_size;
    std::vector<GroupMember> m_members;
    std::map<uint32_t, RankOwner> m_owners; // by position in the group
};

} // namespace

void joinSpanningGroups(const std::vector<CollectiveRank>& ranks, const ClockPartition& partition,
                        std::vector<GroupUnion>& unions)
{
    using Key = std::tuple<std::string, std::string, bool, uint32_t, std::vector<int>>;
    std::map<Key, std::vector<size_t>> namesakes;
    for (size_t i = 0; i < unions.size(); ++i) {
        const GroupUnion& one = unions[i];
        if (one.name.empty() || one.members.empty() || !one.refusal.empty()) continue;
        const GroupMember first = one.members.front();
        const uint32_t size = ranks[first.rank].groups[first.group].size;
        namesakes[{ranks[first.rank].run, one.name, one.isPointToPoint, size, one.ranks}].push_back(i);
    }
    std::vector<bool> isJoined(unions.size(), false); // true if the union was joined to an earlier union
    for (const auto& [key, indices] : namesakes) {
        if (indices.size() < 2) continue;
        SpanningGroup spanning(ranks, partition, unions[indices.front()], std::get<3>(key));
        for (const size_t i : indices)
            spanning.add(unions[i]);
        if (!spanning.isOne()) continue;
        GroupUnion& joined = unions[indices.front()];
        joined.world = spanning.world();
        joined.members = spanning.members();
        std::ranges::sort(joined.members);
        for (const size_t i : std::span(indices).subspan(1))
            isJoined[i] = true;
    }
    std::vector<GroupUnion> kept;
    for (size_t i = 0; i < unions.size(); ++i) {
        if (!isJoined[i]) kept.push_back(std::move(unions[i]));
    }
    unions = std::move(kept);
}

} // namespace lockstep
