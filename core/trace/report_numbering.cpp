// SPDX-License-Identifier: Apache-2.0
#include "core/trace/report_numbering.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace lockstep {

namespace {

// Sorts rows by a unique key, and returns the new position of each row.
template<class Row, class Key>
std::vector<uint32_t> sortRows(std::vector<Row>& rows, Key keyOf)
{
    std::vector<uint32_t> order(rows.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, {}, [&](uint32_t row) { return keyOf(rows[row]); });
    std::vector<uint32_t> places(rows.size());
    std::vector<Row> sorted;
    sorted.reserve(rows.size());
    for (uint32_t place = 0; place < order.size(); ++place) {
        places[order[place]] = place;
        sorted.push_back(std::move(rows[order[place]]));
    }
    rows = std::move(sorted);
    return places;
}

template<class EntityId>
void renumber(EntityId& id, const std::vector<uint32_t>& places)
{
    if (id.isValid()) id = EntityId(places[id.value]);
}

// StringNumbers gives each string the next ID on first use.
class StringNumbers {
  public:
    explicit StringNumbers(const StringPool& texts) : m_texts(texts), m_new(texts.size(), StringId::kNone)
    {
        m_new[0] = 0; // the empty string keeps ID 0
    }
    void assign(StringId& id)
    {
        if (!id.isValid()) return;
        uint32_t& number = m_new[id.value];
        if (number == StringId::kNone) number = m_ordered.intern(m_texts.at(id)).value;
        id = StringId(number);
    }
    bool isAssigned(StringId old) const { return old.isValid() && m_new[old.value] != StringId::kNone; }
    std::string_view textOf(StringId old) const { return m_texts.at(old); }
    StringPool take() { return std::move(m_ordered); }

  private:
    const StringPool& m_texts;
    std::vector<uint32_t> m_new; // by old ID
    StringPool m_ordered;
};

void assignEntityStrings(Report& report, StringNumbers& numbers)
{
    for (Process& process : report.processes)
        numbers.assign(process.name);
    for (Thread& thread : report.threads)
        numbers.assign(thread.name);
    for (Device& device : report.devices) {
        numbers.assign(device.name);
        numbers.assign(device.uuid);
    }
    for (Track& track : report.tracks)
        numbers.assign(track.name);
    for (CounterTrack& track : report.counterTracks) {
        numbers.assign(track.name);
        numbers.assign(track.unit);
    }
}

// number of rows or names between two checks; processing them takes well below 100 ms
constexpr size_t kBetweenChecks = 16'384;

// Numbers the base names in the order of the full names, which got their IDs from the GPU kernels. Base names
// of unused full names are dropped.
Status assignShortNames(Report& report, StringNumbers& numbers, const Progress& progress)
{
    auto& names = report.shortNames;
    std::erase_if(names, [&](const auto& pair) { return !numbers.isAssigned(pair.first); });
    for (auto& [full, base] : names)
        numbers.assign(full);
    LOCKSTEP_TRY(progress.check());
    std::ranges::sort(names, {},
                      [&](const auto& pair) { return std::tuple(pair.first, numbers.textOf(pair.second)); });
    for (size_t i = 0; i < names.size(); ++i) {
        if (i % kBetweenChecks == 0) LOCKSTEP_TRY(progress.check());
        numbers.assign(names[i].second);
    }
    return {};
}

Status assignSampleStrings(SampleTables& tables, StringNumbers& numbers, const Progress& progress)
{
    for (size_t row = 0; row < tables.samples.size(); ++row) {
        if (row % kBetweenChecks == 0) LOCKSTEP_TRY(progress.check());
        Sample& sample = tables.samples[row];
        for (StringId* const text : {&sample.id, &sample.group, &sample.replica, &sample.statusText})
            numbers.assign(*text);
    }
    for (size_t row = 0; row < tables.spans.size(); ++row) {
        if (row % kBetweenChecks == 0) LOCKSTEP_TRY(progress.check());
        numbers.assign(tables.spans[row].request);
    }
    for (StepValue& value : tables.stepValues)
        numbers.assign(value.name);
    for (ReplicaGpu& gpu : tables.replicaGpus) {
        for (StringId* const text : {&gpu.replica, &gpu.host, &gpu.uuid})
            numbers.assign(*text);
    }
    return {};
}

} // namespace

void numberEntities(Report& report)
{
    const auto processes = sortRows(report.processes, [](const Process& p) { return p.key; });
    for (Thread& thread : report.threads)
        renumber(thread.process, processes);
    for (Device& device : report.devices)
        renumber(device.process, processes);
    for (Sample& sample : report.samples.samples)
        renumber(sample.process, processes);
    const auto threads =
        sortRows(report.threads, [](const Thread& t) { return std::tuple(t.process, t.tid); });
    const auto devices =
        sortRows(report.devices, [](const Device& d) { return std::tuple(d.process, d.ordinal); });
    for (Track& track : report.tracks) {
        renumber(track.key.process, processes);
        renumber(track.key.thread, threads);
        renumber(track.key.device, devices);
    }
    for (CounterTrack& track : report.counterTracks) {
        renumber(track.process, processes);
        renumber(track.device, devices);
    }
}

Status numberStrings(Report& report, const Progress& progress)
{
    if (report.memory) return {};
    StringNumbers numbers(report.strings);
    assignEntityStrings(report, numbers);
    auto& names = report.slices.name;
    for (size_t row = 0; row < names.size(); ++row) {
        if (row % kBetweenChecks == 0) LOCKSTEP_TRY(progress.check());
        numbers.assign(names[row]);
    }
    for (CollectiveOp& op : report.collectives) {
        for (StringId* const name : {&op.collective, &op.group, &op.groupRanks, &op.dataType})
            numbers.assign(*name);
    }
    for (FactValue& value : report.rowFacts.values) {
        if (!isTextFact(value.fact)) continue;
        StringId name(static_cast<uint32_t>(value.value));
        numbers.assign(name);
        value.value = name.value;
    }
    LOCKSTEP_TRY(assignSampleStrings(report.samples, numbers, progress));
    for (ClockRound& round : report.clockRounds) {
        for (StringId* const name : {&round.peer, &round.boot, &round.peerBoot})
            numbers.assign(*name);
    }
    LOCKSTEP_TRY(assignShortNames(report, numbers, progress));
    report.strings = numbers.take();
    return {};
}

} // namespace lockstep
