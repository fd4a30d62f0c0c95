// SPDX-License-Identifier: Apache-2.0
#include "core/readers/run_events/clock_round_rows.h"

#include <limits>
#include <optional>

namespace lockstep {

namespace {

constexpr size_t kBootId_bytes = 36;
constexpr size_t kLongestName = 1024;

std::optional<uint32_t> uncertaintyAt(const Json& event, const char* key)
{
    const auto uncertainty_ns = numberAt(event, key);
    if (!uncertainty_ns || *uncertainty_ns < 0 || *uncertainty_ns > std::numeric_limits<uint32_t>::max())
        return std::nullopt;
    return static_cast<uint32_t>(*uncertainty_ns);
}

} // namespace

void ClockRoundRows::note(const char* kind, const char* text, uint64_t row)
{
    m_notes.add(kind, NoteSeverity::warning, text, "line " + std::to_string(row + 1));
}

void ClockRoundRows::take(const Json& event, uint64_t row)
{
    const std::string state = textAt(event, "state");
    if (state == "round") return handleRound(event, row);
    if (state == "reading") return handleReading(event, row);
    if (state == "dropped") return handleDropped(event, row);
    if (state == "listening") {
        const std::string name = textAt(event, "node");
        if (!name.empty() && name.size() <= kLongestName) m_hostNames.push_back(name);
    } else if (state == "unreachable") {
        note("clocks.unreachable", "another host did not respond to the clock exchange", row);
    } else if (state == "off" || state == "refused") {
        note("clocks.off", "the host could not take part in the clock exchange", row);
    }
}

StringId ClockRoundRows::boot(const Json& event, const char* key)
{
    const std::string text = textAt(event, key);
    return text.size() == kBootId_bytes ? m_names.intern(text) : StringId();
}

void ClockRoundRows::handleRound(const Json& event, uint64_t row)
{
    constexpr const char* kDamaged = "clocks.damaged";
    constexpr const char* kDamagedText = "clock comparisons with impossible values: omitted";
    const auto sent = numberAt(event, "t1_ns"), peerReceived = numberAt(event, "t2_ns");
    const auto peerSent = numberAt(event, "t3_ns"), received = numberAt(event, "t4_ns");
    const auto wall = numberAt(event, "wall_ns"), peerWall = numberAt(event, "peer_wall_ns");
    const auto uncertainty = uncertaintyAt(event, "wall_doubt_ns"),
               peerUncertainty = uncertaintyAt(event, "peer_wall_doubt_ns");
    const std::string peer = textAt(event, "peer");
    const bool isOverLink = textAt(event, "via") == "link";
    if (!sent || !peerReceived || !peerSent || !received || !wall || !peerWall || !uncertainty ||
        !peerUncertainty || peer.empty() || peer.size() > kLongestName ||
        textAt(event, "clock") != "CLOCK_MONOTONIC_RAW")
        return note(kDamaged, kDamagedText, row);
    const ClockRound round{m_names.intern(peer),
                           boot(event, "boot"),
                           boot(event, "peer_boot"),
                           *uncertainty,
                           *peerUncertainty,
                           isOverLink ? 1u : 0u,
                           *sent,
                           *peerReceived,
                           *peerSent,
                           *received,
                           *wall,
                           *peerWall};
    if (!isPlausibleRound(round)) return note(kDamaged, kDamagedText, row);
    if (numberAt(event, "delay_ns") != round.greatest_ns() - round.least_ns())
        return note("clocks.contradicts_itself",
                    "clock comparisons whose timestamps contradict their recorded delay: omitted", row);
    if (!m_seen.emplace(round.peer.value, round.sent_ns).second)
        return note("clocks.repeated", "duplicate clock comparisons: omitted", row);
    m_rounds.push_back(round);
}

void ClockRoundRows::handleReading(const Json& event, uint64_t row)
{
    const auto raw = numberAt(event, "raw_ns"), wall = numberAt(event, "wall_ns");
    const auto uncertainty = uncertaintyAt(event, "wall_doubt_ns");
    ClockRound reading;
    reading.boot = boot(event, "boot");
    reading.sent_ns = raw.value_or(-1);
    reading.wall_ns = wall.value_or(0);
    reading.uncertainty_ns = uncertainty.value_or(0);
    if (!raw || !wall || !uncertainty || !isPlausibleRound(reading))
        return note("clocks.damaged", "clock comparisons with impossible values: omitted", row);
    m_rounds.push_back(reading);
}

void ClockRoundRows::handleDropped(const Json& event, uint64_t row)
{
    const auto has = [&](const char* key) { return numberAt(event, key).value_or(0) > 0; };
    if (has("malformed") || has("foreign") || has("replayed") || has("limited") || has("impossible"))
        note("clocks.dropped",
             "the host dropped clock exchange datagrams that were malformed, from an unknown sender, "
             "duplicate, implausible or over the rate limit",
             row);
    if (has("readings_left_out") || has("not_written"))
        note("clocks.left_out", "the host omitted clock comparisons: too many, or its disk was full", row);
}

void ClockRoundRows::addTo(ReportBuilder& builder) const
{
    Report& report = builder.report();
    std::vector<ClockRound> rounds = m_rounds;
    const auto theirs = [&](StringId id) { return id.isValid() ? builder.intern(m_names.at(id)) : id; };
    for (ClockRound& round : rounds) {
        round.peer = theirs(round.peer);
        round.boot = theirs(round.boot);
        round.peerBoot = theirs(round.peerBoot);
    }
    report.clockRounds = Column(std::move(rounds));
    for (const std::string& name : m_hostNames)
        report.facts.emplace_back("Host name", name);
    report.notes.merge(m_notes);
}

} // namespace lockstep
