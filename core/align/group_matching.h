// SPDX-License-Identifier: Apache-2.0
// Contains the two methods that match the collectives of one process group: by sequence number and by
// pattern. Used only by matchCollectives().
#pragma once

#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/align/collective_matching.h"
#include "core/align/group_union.h"
#include "core/align/sequence_shift.h"

namespace lockstep {

// Result for one group. Parts and collectives are numbered from zero, and the caller concatenates the
// results.
struct GroupMatching {
    MatchedGroup group;
    std::vector<MatchedCollective> collectives;
    std::vector<MatchedPart> parts;
    bool hasTwoRanks = false;        // exactly two ranks take part
    uint64_t multiPeerExchanges = 0; // exchanges that may have had more than two participants

    // Stores the parts as one collective if at least two remain; otherwise counts them as unmatched. If an
    // exchange has more than two ranks, the peers are unknown.
    void add(std::span<const MatchedPart> found, Dependency dependency);
};

std::span<const Collective> collectivesOfMember(const std::vector<CollectiveRank>& ranks, GroupMember member);
// Returns the index of the first collective of the member's group in the collectives of its rank.
uint32_t firstOfMember(const std::vector<CollectiveRank>& ranks, GroupMember member);

// Number of occurrences of each signature. Two lists may belong to the same group if they have at least a
// fraction kMinLikeness of the shorter list in common.
using SignatureCounts = std::map<uint32_t, size_t>;
inline constexpr double kMinLikeness = 0.8;
SignatureCounts countSignatures(std::span<const Collective> list);
double similarity(const SignatureCounts& a, const SignatureCounts& b); // similarity of two lists, 0 to 1

// Returns an empty matching of the group.
GroupMatching emptyMatching(const GroupUnion& group);
// Returns true if the group has exactly two ranks, according to the rank list or the recorded size.
bool isGroupOfTwo(const std::vector<CollectiveRank>& ranks, const GroupUnion& group);
// Returns the known relation between the clocks of two ranks. The lists of collectives are left empty.
ShiftInput clocksOf(const CollectiveRank& first, const CollectiveRank& second,
                    const ClockPartition& partition, const MatchOptions& options);

// The process that collectives belong to, as far as the files record it: world and rank, or a negative report
// index. Two captures of one rank have the same owner. Views into `ranks`.
using RankOwner = std::pair<std::string_view, int64_t>;
RankOwner ownerOf(const std::vector<CollectiveRank>& ranks, uint32_t rank);

// Matches members that all have sequence numbers: parts with the same number and the majority's signature
// form one collective. A rank may record a number twice because its process was restarted and repeated a
// step. The part that overlaps the other ranks in time is then used, if there is only one such part.
GroupMatching matchBySequence(const std::vector<CollectiveRank>& ranks, const GroupUnion& group,
                              const ClockPartition& partition);
// Matches sends and receives. Returns one matching per pair of ranks that specify each other as peer (not
// required in a group of two), then one matching for the rest. Uses sequence numbers if both ranks have them,
// otherwise the pattern of directions and sizes.
std::vector<GroupMatching> matchPointToPoint(const std::vector<CollectiveRank>& ranks,
                                             const GroupUnion& group, const ClockPartition& partition,
                                             const MatchOptions& options);
// Measures the sends and receives of a matching (see PairEnds) and records why any of them are not used.
void measurePairEnds(const std::vector<CollectiveRank>& ranks, const ClockPartition& partition,
                     GroupMatching& matching);
// Matches members of one group, or unnamed work of one world. Forms sets of members with equal patterns, each
// around the member with the most collectives. Unnamed work yields one matching per set; members without a
// match are in the last matching. Compares all pairs if nothing matches, which may take minutes. After a stop
// request the rest stays unmatched.
std::vector<GroupMatching> matchByPattern(const std::vector<CollectiveRank>& ranks, const GroupUnion& group,
                                          const ClockPartition& partition, const MatchOptions& options,
                                          const Progress& progress);

} // namespace lockstep
