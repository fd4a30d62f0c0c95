// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>

#include "core/align/group_matching.h"

namespace lockstep {

namespace {

// The operations between one member and one other rank, in chronological order.
struct PairList {
    std::vector<Collective> rows;
    std::vector<uint32_t> places; // indices in the collectives of the rank
};

// Returns the same hash for a send and its receive, computed from sender and size.
uint32_t pairWord(const Collective& c, bool isFirst)
{
    uint32_t way = 3;
    if (c.dependency == Dependency::send) way = isFirst ? 1 : 2;
    if (c.dependency == Dependency::receive) way = isFirst ? 2 : 1;
    return c.signature ^ (way * 0x9E3779B1u);
}

bool isNumbered(const PairList& list)
{
    return std::ranges::none_of(list.rows,
                                [](const Collective& c) { return c.sequence == CollectiveOp::kAbsentCount; });
}

// PairMatching matches the sends and receives of one group. Idea: the operations of each rank are divided by
// peer, so that each pair of ranks has two lists that answer each other. If all operations have numbers,
// equal numbers with opposite directions match. Otherwise findShift() compares the lists with signatures that
// are equal for a send and its receive. Invariant: a number that occurs twice on one side is not used, and
// the sender comes first if the direction is known. Cost: O(n log n) with numbers, otherwise that of
// findShift() for each pair of ranks.
class PairMatching {
  public:
    PairMatching(const std::vector<CollectiveRank>& ranks, const GroupUnion& group,
                 const ClockPartition& partition, const MatchOptions& options)
        : m_ranks(ranks), m_group(group), m_partition(partition), m_options(options),
          m_isOfTwo(isGroupOfTwo(ranks, group))
    {
    }

    std::vector<GroupMatching> run()
    {
        for (size_t m = 0; m < m_group.members.size(); ++m)
            sortByPeer(m);
        std::multimap<int64_t, size_t> memberOfRank;
        for (size_t m = 0; m < m_group.members.size(); ++m)
            memberOfRank.emplace(nameOf(m), m);
        for (const auto& [key, list] : m_lists) {
            const auto [begin, end] = memberOfRank.equal_range(key.second);
            for (auto other = begin; other != end; ++other) {
                const auto answer = m_lists.find({other->second, nameOf(key.first)});
                if (key.first < other->second && answer != m_lists.end())
                    match(key.first, list, other->second, answer->second);
            }
        }
        addRest();
        return std::move(m_out);
    }

  private:
    const CollectiveRank& rankOf(size_t member) const { return m_ranks[m_group.members[member].rank]; }
    // Returns the number that peers use for a member: its rank, or its position if the group has two members
    // with unknown ranks.
    int64_t nameOf(size_t member) const
    {
        return m_isOfTwo ? static_cast<int64_t>(member) : int64_t(rankOf(member).rank);
    }

    void sortByPeer(size_t member)
    {
        const uint32_t first = firstOfMember(m_ranks, m_group.members[member]);
        const auto rows = collectivesOfMember(m_ranks, m_group.members[member]);
        m_total += rows.size();
        for (size_t i = 0; i < rows.size(); ++i) {
            int64_t peer = rows[i].peer;
            if (m_isOfTwo) {
                peer = static_cast<int64_t>(1 - member);
            } else if (rows[i].peer == CollectiveOp::kAbsent) {
                ++m_withoutPeer;
                continue;
            }
            PairList& list = m_lists[{member, peer}];
            list.rows.push_back(rows[i]);
            list.places.push_back(first + static_cast<uint32_t>(i));
        }
    }

    void match(size_t a, PairList first, size_t b, PairList second)
    {
        for (Collective& c : first.rows)
            c.signature = pairWord(c, true);
        for (Collective& c : second.rows)
            c.signature = pairWord(c, false);
        GroupMatching matching = emptyMatching(m_group);
        matching.hasTwoRanks = true;
        matching.group.memberCount = 2;
        matching.group.members = {m_group.members[a].rank, m_group.members[b].rank};
        if (rankOf(a).rank >= 0 && rankOf(b).rank >= 0) {
            matching.group.ranks = {rankOf(a).rank, rankOf(b).rank};
            std::ranges::sort(matching.group.ranks);
        }
        const auto keep = [&](size_t i, size_t j) { add(a, first, i, b, second, j, matching); };
        if (isNumbered(first) && isNumbered(second)) {
            matchNumbers(first, second, keep);
        } else {
            matching.group.isByPattern = true;
            ShiftInput input = clocksOf(rankOf(a), rankOf(b), m_partition, m_options);
            input.first = first.rows;
            input.second = second.rows;
            const SequenceShift shift = findShift(input);
            if (shift.verdict == ShiftVerdict::found) {
                matchShifted(first, second, shift, keep);
            } else {
                matching.group.refusal =
                    std::to_string(std::min(first.rows.size(), second.rows.size())) +
                    " send/receive pairs not matched: " + std::string(shiftVerdictName(shift.verdict));
            }
        }
        m_matched += matching.group.matched;
        m_out.push_back(std::move(matching));
    }

    // A sequence number that occurs twice on one side does not identify a pair.
    template<class Keep>
    static void matchNumbers(const PairList& first, const PairList& second, const Keep& keep)
    {
        std::map<std::pair<uint64_t, Dependency>, std::vector<size_t>> firsts, seconds;
        for (size_t i = 0; i < first.rows.size(); ++i)
            firsts[{first.rows[i].sequence, first.rows[i].dependency}].push_back(i);
        for (size_t i = 0; i < second.rows.size(); ++i)
            seconds[{second.rows[i].sequence, second.rows[i].dependency}].push_back(i);
        for (const auto& [key, rows] : firsts) {
            const Dependency answer = key.second == Dependency::send      ? Dependency::receive
                                      : key.second == Dependency::receive ? Dependency::send
                                                                          : key.second;
            const auto other = seconds.find({key.first, answer});
            if (other != seconds.end() && rows.size() == 1 && other->second.size() == 1)
                keep(rows[0], other->second[0]);
        }
    }

    template<class Keep>
    static void matchShifted(const PairList& first, const PairList& second, const SequenceShift& shift,
                             const Keep& keep)
    {
        for (size_t i = 0; i < first.rows.size(); ++i) {
            const auto j = shift.partnerOf(static_cast<int64_t>(i));
            if (!j) continue;
            const Collective& other = second.rows[static_cast<size_t>(*j)];
            const bool isAtEdge = first.rows[i].isAtEdge || other.isAtEdge;
            if (first.rows[i].signature == other.signature && !isAtEdge) keep(i, static_cast<size_t>(*j));
        }
    }

    void add(size_t a, const PairList& first, size_t i, size_t b, const PairList& second, size_t j,
             GroupMatching& matching) const
    {
        if (!first.rows[i].isUsable || !second.rows[j].isUsable) return;
        std::array parts{MatchedPart{m_group.members[a].rank, first.places[i]},
                         MatchedPart{m_group.members[b].rank, second.places[j]}};
        if (first.rows[i].dependency == Dependency::receive) std::swap(parts[0], parts[1]);
        matching.add(parts, first.rows[i].dependency == Dependency::exchange ? Dependency::exchange
                                                                             : Dependency::send);
    }

    // Adds a matching for the remaining, unpaired operations.
    void addRest()
    {
        if (m_total <= m_matched && !m_out.empty()) return;
        GroupMatching rest = emptyMatching(m_group);
        rest.group.unmatched = m_total - m_matched;
        if (m_withoutPeer > 0) {
            rest.group.refusal = std::to_string(m_withoutPeer) + " sends and receives have no recorded peer";
        } else if (m_out.empty()) {
            rest.group.refusal = "no open report contains the other side of its sends and receives";
        }
        m_out.push_back(std::move(rest));
    }

    const std::vector<CollectiveRank>& m_ranks;
    const GroupUnion& m_group;
    const ClockPartition& m_partition;
    const MatchOptions& m_options;
    const bool m_isOfTwo;
    std::map<std::pair<size_t, int64_t>, PairList> m_lists; // by (member, peer)
    std::vector<GroupMatching> m_out;
    uint64_t m_total = 0, m_matched = 0, m_withoutPeer = 0;
};

} // namespace

std::vector<GroupMatching> matchPointToPoint(const std::vector<CollectiveRank>& ranks,
                                             const GroupUnion& group, const ClockPartition& partition,
                                             const MatchOptions& options)
{
    return PairMatching(ranks, group, partition, options).run();
}

} // namespace lockstep
