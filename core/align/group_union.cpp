// SPDX-License-Identifier: Apache-2.0
#include "core/align/group_union.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "core/align/group_matching.h"
#include "core/align/worlds.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

// Process groups that span several roles of a run are joined: an actor and a rollout engine that share one
// communicator each record it in their own job.

// Minimum number of operations recorded by several roles if overlap in time is the evidence.
constexpr size_t kMinSharedOperations = 2;
constexpr int64_t kOverlapSlack_ns = 1'000'000;

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
        if (m_size == CollectiveOp::kAbsent || !areAllPositionsKnown()) return false;
        return isLargerThanJobs() || (m_owners.size() == m_size && overlapsInTime());
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
    uint32_t positionOf(GroupMember member) const
    {
        return m_ranks[member.rank].groups[member.group].ownRank;
    }

    bool areAllPositionsKnown() const
    {
        return std::ranges::all_of(m_members,
                                   [&](GroupMember m) { return positionOf(m) != CollectiveOp::kAbsent; });
    }

    // Returns false if two processes have the same position. A process may have several reports in sequence.
    bool findOwners()
    {
        m_owners.clear();
        for (const GroupMember member : m_members) {
            if (positionOf(member) == CollectiveOp::kAbsent) continue;
            const RankOwner owner = ownerOf(m_ranks, member.rank);
            if (m_owners.try_emplace(positionOf(member), owner).first->second != owner) return false;
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

    bool overlapsInTime() const
    {
        struct SharedOperation {
            int64_t lastStart_ns = std::numeric_limits<int64_t>::min();
            int64_t firstEnd_ns = std::numeric_limits<int64_t>::max();
            std::set<std::string_view> worlds;
        };
        std::map<uint64_t, SharedOperation> operations; // by sequence number
        for (const GroupMember member : m_members) {
            const CollectiveRank& rank = m_ranks[member.rank];
            if (!m_partition.sharesClock(rank.report, m_ranks[m_members.front().rank].report)) return false;
            for (const Collective& c : collectivesOfMember(m_ranks, member)) {
                if (c.sequence == CollectiveOp::kAbsentCount || c.dependency != Dependency::all) continue;
                SharedOperation& operation = operations[c.sequence];
                const int64_t toAxis_ns = m_partition.hostToAxis_ns[rank.report];
                operation.lastStart_ns = std::max(operation.lastStart_ns, c.start.ns + toAxis_ns);
                operation.firstEnd_ns = std::min(operation.firstEnd_ns, c.end.ns + toAxis_ns);
                operation.worlds.insert(rank.world);
            }
        }
        size_t met = 0;
        for (const auto& [number, operation] : operations) {
            if (operation.worlds.size() < 2) continue;
            if (operation.lastStart_ns > operation.firstEnd_ns + kOverlapSlack_ns) return false;
            ++met;
        }
        return met >= kMinSharedOperations;
    }

    const std::vector<CollectiveRank>& m_ranks;
    const ClockPartition& m_partition;
    const std::string& m_name;
    const uint32_t m_size;
    std::vector<GroupMember> m_members;
    std::map<uint32_t, RankOwner> m_owners; // by position in the group
};

// Joins unions with equal run, name, size and rank list whose members have different positions in the group,
// if one of the following proves that the group is one: its name is a communicator ID; it is larger than the
// job of every member; or its members fill it exactly, share one clock, and have collectives with equal
// sequence numbers that overlap in time. All other unions stay unchanged and keep their order. O(unions log
// unions + parts log parts).
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

// The visible ranks of an elided list: for "[0, 1, ..., 63]", the ranks before the ellipsis and the last
// rank; for a list that was cut without an ellipsis, all ranks in the list.
struct ElidedRanks {
    std::vector<int> head;
    int last = -1;
};

ElidedRanks parseElided(std::string_view text)
{
    ElidedRanks ranks;
    const size_t dots = text.find("...");
    if (dots == std::string_view::npos) ranks.head = parseRanks(text);
    if (dots == std::string_view::npos || text.front() != '[' || text.back() != ']') return ranks;
    std::string_view head = text.substr(1, dots - 1);
    while (!head.empty() && (head.back() == ' ' || head.back() == ','))
        head.remove_suffix(1);
    ranks.head = parseRanks("[" + std::string(head) + "]");
    std::string_view tail = text.substr(dots + 3, text.size() - dots - 4);
    const size_t begin = tail.find_first_of("0123456789");
    if (begin != std::string_view::npos)
        ranks.last = static_cast<int>(parseInt(tail.substr(begin)).value_or(-1));
    return ranks;
}

bool mayBe(const CollectiveGroup& group, int ownRank, const std::vector<int>& ranks)
{
    if (group.size != CollectiveOp::kAbsent && group.size != ranks.size()) return false;
    if (ownRank >= 0 && !std::ranges::binary_search(ranks, ownRank)) return false;
    const ElidedRanks elided =
        parseElided(group.ranksText.empty() ? std::string_view("[]") : group.ranksText);
    if (elided.head.size() > ranks.size() ||
        !std::equal(elided.head.begin(), elided.head.end(), ranks.begin())) {
        return false;
    }
    return elided.last < 0 || (!ranks.empty() && ranks.back() == elided.last);
}

class GroupMerger {
  public:
    GroupMerger(const std::vector<CollectiveRank>& ranks, const Workspace& workspace,
                const ClockPartition& partition)
        : m_ranks(ranks), m_workspace(workspace), m_partition(partition)
    {
    }

    std::vector<GroupUnion> run();

  private:
    using NameKey = std::tuple<std::string, std::string, bool>; // (world, name, whether point to point)
    struct Bucket {
        std::map<std::vector<int>, std::vector<GroupMember>> listed;
        std::vector<GroupMember> elided;
    };

    void fill(const NameKey& key, Bucket& bucket);
    void rejectDuplicateRanks();
    void joinRenamed();
    bool areOneGroup(std::span<const size_t> unions) const;
    GroupUnion& add(const NameKey& key, std::vector<int> ranks, std::vector<GroupMember> members);
    const CollectiveGroup& groupOf(GroupMember m) const { return m_ranks[m.rank].groups[m.group]; }

    const std::vector<CollectiveRank>& m_ranks;
    const Workspace& m_workspace;
    const ClockPartition& m_partition;
    std::vector<GroupUnion> m_unions;
};

GroupUnion& GroupMerger::add(const NameKey& key, std::vector<int> ranks, std::vector<GroupMember> members)
{
    std::ranges::sort(members);
    m_unions.push_back(
        {std::get<0>(key), std::get<1>(key), std::move(ranks), std::move(members), std::get<2>(key), {}});
    return m_unions.back();
}

void GroupMerger::fill(const NameKey& key, Bucket& bucket)
{
    std::map<std::tuple<uint32_t, uint32_t, uint32_t, std::string>, std::vector<GroupMember>> unlisted;
    std::vector<GroupMember> ambiguous;
    for (const GroupMember member : bucket.elided) {
        const CollectiveGroup& group = groupOf(member);
        std::vector<GroupMember>* target = nullptr;
        size_t fits = 0;
        for (auto& [ranks, members] : bucket.listed) {
            if (!mayBe(group, m_ranks[member.rank].rank, ranks)) continue;
            target = &members;
            ++fits;
        }
        if (fits == 1) {
            target->push_back(member);
        } else if (fits > 1) {
            ambiguous.push_back(member);
        } else {
            unlisted[{group.size, group.rankStart, group.rankStride, group.ranksText}].push_back(member);
        }
    }
    for (auto& listed : bucket.listed) {
        const std::vector<int>& ranks = listed.first;
        std::vector<GroupMember>& members = listed.second;
        std::vector<GroupMember> nonMembers;
        std::erase_if(members, [&](GroupMember member) {
            const int own = m_ranks[member.rank].rank;
            const bool isNonMember = own >= 0 && !std::ranges::binary_search(ranks, own);
            if (isNonMember) nonMembers.push_back(member);
            return isNonMember;
        });
        add(key, ranks, std::move(members));
        if (!nonMembers.empty()) {
            add(key, ranks, std::move(nonMembers)).refusal =
                "the rank list of the group does not include the ranks that recorded it";
        }
    }
    for (auto& [facts, members] : unlisted)
        add(key, {}, std::move(members));
    if (!ambiguous.empty()) {
        add(key, {}, std::move(ambiguous)).refusal =
            "the abbreviated rank list matches several groups with this name";
    }
}

// Rejects the groups of a world in which a rank occurs twice at the same time, because the jobs of such a
// world cannot be distinguished.
void GroupMerger::rejectDuplicateRanks()
{
    const auto duplicates = duplicateRanks(m_ranks, m_workspace, m_partition);
    for (GroupUnion& group : m_unions) {
        const auto found = duplicates.find(group.world);
        if (found == duplicates.end() || !group.refusal.empty()) continue;
        group.refusal =
            "rank " + std::to_string(found->second) +
            " is in two reports that overlap in time: jobs with the same name cannot be distinguished";
    }
}

// Returns true if unions with the same rank list are one group to which each process gives a different name.
// In this case, no process is in two of the unions, and all recorded the same operations.
bool GroupMerger::areOneGroup(std::span<const size_t> unions) const
{
    std::set<RankOwner> owners;
    std::optional<SignatureCounts> first;
    for (const size_t i : unions) {
        std::set<RankOwner> own;
        for (const GroupMember member : m_unions[i].members) {
            own.insert(ownerOf(m_ranks, member.rank));
            SignatureCounts counts = countSignatures(collectivesOfMember(m_ranks, member));
            if (first && similarity(*first, counts) < kMinLikeness) return false;
            if (!first) first = std::move(counts);
        }
        for (const RankOwner& owner : own) {
            if (!owners.insert(owner).second) return false;
        }
    }
    return true;
}

// A group created with local synchronization (expert parallelism, DeviceMesh) is named after a hash that may
// differ from rank to rank. Incomplete groups with the same rank list are joined if that is the only way to
// complete them.
void GroupMerger::joinRenamed()
{
    std::map<std::tuple<std::string, std::vector<int>, bool>, std::vector<size_t>> partial;
    for (size_t i = 0; i < m_unions.size(); ++i) {
        const GroupUnion& one = m_unions[i];
        const bool isPartial = !one.ranks.empty() && one.members.size() < one.ranks.size();
        if (!one.name.empty() && one.refusal.empty() && isPartial)
            partial[{one.world, one.ranks, one.isPointToPoint}].push_back(i);
    }
    std::vector<bool> isJoined(m_unions.size(), false);
    for (const auto& [key, indices] : partial) {
        if (indices.size() < 2 || !areOneGroup(indices)) continue;
        GroupUnion& joined = m_unions[indices.front()];
        for (const size_t i : std::span(indices).subspan(1)) {
            joined.members.insert(joined.members.end(), m_unions[i].members.begin(),
                                  m_unions[i].members.end());
            isJoined[i] = true;
        }
        std::ranges::sort(joined.members);
        const size_t others = indices.size() - 1;
        joined.name += " and " + std::to_string(others) + " other name" + (others == 1 ? "" : "s");
    }
    std::vector<GroupUnion> kept;
    for (size_t i = 0; i < m_unions.size(); ++i) {
        if (!isJoined[i]) kept.push_back(std::move(m_unions[i]));
    }
    m_unions = std::move(kept);
}

std::vector<GroupUnion> GroupMerger::run()
{
    std::map<NameKey, Bucket> buckets;
    std::map<std::string, std::vector<GroupMember>> unnamed;
    for (uint32_t rank = 0; rank < m_ranks.size(); ++rank) {
        for (uint32_t g = 0; g < m_ranks[rank].groups.size(); ++g) {
            const CollectiveGroup& group = m_ranks[rank].groups[g];
            if (!group.isNamed()) {
                unnamed[m_ranks[rank].world].push_back({rank, g});
                continue;
            }
            Bucket& bucket = buckets[{m_ranks[rank].world, group.name, group.isPointToPoint}];
            if (group.ranks.empty()) {
                bucket.elided.push_back({rank, g});
            } else {
                bucket.listed[group.ranks].push_back({rank, g});
            }
        }
    }
    for (auto& [key, bucket] : buckets)
        fill(key, bucket);
    for (auto& [world, members] : unnamed)
        add({world, "", false}, {}, std::move(members));
    rejectDuplicateRanks();
    joinRenamed();
    joinSpanningGroups(m_ranks, m_partition, m_unions);
    return std::move(m_unions);
}

} // namespace

std::vector<GroupUnion> mergeGroups(const std::vector<CollectiveRank>& ranks, const Workspace& workspace,
                                    const ClockPartition& partition)
{
    return GroupMerger(ranks, workspace, partition).run();
}

} // namespace lockstep
