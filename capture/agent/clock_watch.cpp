// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/clock_watch.h"

#include <array>

#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr const char* kKind = "clock_exchange";
constexpr int64_t kDroppedEvery_ns = 60'000'000'000;

std::string ownName()
{
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

Json fieldsOf(const MeasuredRound& round, const std::string& peer, const BootId& boot)
{
    return {{"state", "round"},
            {"via", "udp"},
            {"clock", "CLOCK_MONOTONIC_RAW"},
            {"peer", peer},
            {"boot", bootIdText(boot)},
            {"peer_boot", bootIdText(round.peerBoot)},
            {"t1_ns", round.t1_ns},
            {"t2_ns", round.t2_ns},
            {"t3_ns", round.t3_ns},
            {"t4_ns", round.t4_ns},
            {"delay_ns", round.delay_ns()},
            {"wall_ns", round.wall_ns},
            {"wall_doubt_ns", round.uncertainty_ns},
            {"peer_wall_ns", round.peerWall_ns},
            {"peer_wall_doubt_ns", round.peerUncertainty_ns}};
}

} // namespace

ClockWatch::ClockWatch(const RunFolder& folder, bool isRequested, EventLog& log)
    : m_folder(folder), m_isRequested(isRequested), m_log(log)
{
}

void ClockWatch::begin()
{
    if (!m_isRequested) return;
    auto opened = ClockExchange::open();
    if (!opened) {
        m_log.add(kKind, {{"state", "off"}, {"text", opened.error().message}});
        return;
    }
    m_exchange = std::move(*opened);
    m_log.add(kKind, {{"state", "listening"},
                      {"node", ownName()},
                      {"boot", bootIdText(m_exchange->boot())},
                      {"port", m_exchange->port()},
                      {"addresses", listenAddresses()}});
}

// The file is small and rarely changes, and comparing its content detects a change more reliably than
// comparing its timestamps.
void ClockWatch::readPeers()
{
    auto text = readTextFile(m_folder.clockPeersFile());
    if (!text || *text == m_peersText) return;
    m_peersText = std::move(*text);
    auto peers = clockPeersFromJson(m_peersText);
    if (!peers) {
        m_log.add(kKind, {{"state", "refused"}, {"text", peers.error().message}});
        return;
    }
    for (const ClockPeer& peer : peers->peers)
        m_names[peer.number] = peer.host;
    m_exchange->setPeers(std::move(*peers));
}

std::string ClockWatch::nameOf(uint32_t number) const
{
    const auto found = m_names.find(number);
    return found == m_names.end() ? "host " + std::to_string(number) : found->second;
}

void ClockWatch::writeFindings(bool hasRoom)
{
    if (!m_exchange) return;
    readPeers();
    const ClockFindings found = m_exchange->takeFindings();
    if (!hasRoom) {
        m_unwritten += found.rounds.size() + found.readings.size();
        return;
    }
    for (const WallReading& reading : found.readings) {
        m_log.add(kKind, {{"state", "reading"},
                          {"boot", bootIdText(m_exchange->boot())},
                          {"raw_ns", reading.raw_ns},
                          {"wall_ns", reading.wall_ns},
                          {"wall_doubt_ns", reading.uncertainty_ns}});
    }
    for (const MeasuredRound& round : found.rounds)
        m_log.add(kKind, fieldsOf(round, nameOf(round.peer), m_exchange->boot()));
    for (const uint32_t peer : found.unreachable) {
        m_log.add(
            kKind,
            {{"state", "unreachable"},
             {"peer", nameOf(peer)},
             {"text", "no response over UDP; the launcher compares the clocks over its ssh link instead"}});
    }
    for (const uint32_t peer : found.reachable)
        m_log.add(kKind, {{"state", "reachable"}, {"peer", nameOf(peer)}});
    const int64_t now_ns = rawClock_ns();
    if (now_ns < m_nextDropped_ns) return;
    m_nextDropped_ns = now_ns + kDroppedEvery_ns;
    reportDropped(found);
}

void ClockWatch::reportDropped(const ClockFindings& found)
{
    const ClockCounts& counts = found.counts;
    const uint64_t excluded = found.roundsOmitted + found.readingsOmitted + m_unwritten;
    const uint64_t all = counts.dropped() + excluded;
    if (all == m_reportedDropped) return;
    m_reportedDropped = all;
    m_log.add(kKind, {{"state", "dropped"},
                      {"malformed", counts.malformed},
                      {"foreign", counts.foreign},
                      {"replayed", counts.replayed},
                      {"limited", counts.limited},
                      {"impossible", counts.impossible},
                      {"early", counts.early},
                      {"readings_left_out", found.readingsOmitted},
                      {"not_written", found.roundsOmitted + m_unwritten}});
}

void ClockWatch::end()
{
    if (!m_exchange) return;
    m_exchange->finish();
    m_nextDropped_ns = 0;
    writeFindings(!m_log.isBlocked());
    m_exchange.reset();
    ::unlink(m_folder.clockPeersFile().c_str());
}

} // namespace lockstep::agent
