// SPDX-License-Identifier: Apache-2.0
// EventAssembly turns track events of a Perfetto trace into slices, instants, counters and links. Events are
// collected in file order, then sorted by time, because a trace contains its sequences one after another. One
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/readers/perfetto/event_interpreter.h"
#include "core/readers/perfetto/packet_walk.h"
#include "core/readers/perfetto/track_tree.h"
#include "core/trace/report_builder.h"

namespace lockstep {

class EventAssembly {
  public:
    // `file` stores rows that do not fit in memory; it may be null.
    EventAssembly(ReportBuilder& builder, TrackTree& tracks, std::shared_ptr<SpillFile> file)
        : m_builder(builder), m_tracks(tracks), m_interpreter(builder, tracks), m_batch(std::move(file))
    {
    }

    void add(const TrackEventPacket& packet);
    // Fills the builder. Counts events that have no begin, end or track. The only possible error is
    // ErrorKind::canceled.
    Status finish(const TraceClocks& clocks, const Progress& progress);
    // Returns true if all timestamps look like ns since the Unix epoch. Valid after finish().
    bool hasUnixTimestamps() const;

  private:
    enum class Type : uint8_t { begin = 1, end = 2, instant = 3, counter = 4, complete = 5 };
    struct Event {
        int64_t time_ns;
        int64_t duration_ns; // only for complete events
        uint64_t ordinal;
        uint64_t track;
        ClockKey clock;
        StringId name;
        Type type;
        double value;
        EventInterpretation interpretation = {};
        bool isGpuCounter = false;
    };
    struct Flow {
        size_t event;
        uint64_t id;
        bool isEnd;
    };
    struct Fields; // the parts of one TrackEvent
    // The last event of a flow that was read so far.
    struct FlowEnd {
        SourceRow slice;
        uint32_t correlation = kNoCorrelation;
        bool isAlone = true; // true if no earlier event belongs to the flow
    };

    void addGpuStage(const TrackEventPacket& packet);
    void addGpuCounters(const TrackEventPacket& packet);
    void placeGpuCounters();
    Fields readFields(const TrackEventPacket& packet);
    void readLegacy(const TrackEventPacket& packet, std::string_view message, Fields& fields);
    void addLegacyFlow(const LegacyEvent& legacy, const Event& event);
    Status placeLegacyFlows(const Progress& progress);
    StringId nameOf(const TrackEventPacket& packet, uint64_t iid);
    void addCollective(const TrackEventPacket& packet, Event& event);
    void addCounters(const TrackEventPacket& packet, const Fields& fields, const Event& event);
    double counterValue(const TrackEventPacket& packet, uint64_t track, double value);
    Status toTraceClock(const TraceClocks& clocks, const Progress& progress);
    void place(const Event& event, size_t index);
    void addSlice(const Event& begin, int64_t end_ns, uint8_t flags);
    void addSample(const Event& event);
    void bindFlows(size_t index, const Event& slice);
    void noteUnpairedFlow(const FlowEnd& end);
    void noteUnpairedFlows();
    void noteBroken(const TrackEventPacket& packet);
    void note(const char* kind, NoteSeverity severity, const char* text, uint64_t ordinal);

    ReportBuilder& m_builder;
    TrackTree& m_tracks;
    EventInterpreter m_interpreter;
    std::vector<Event> m_events;
    std::vector<Flow> m_flows; // sorted by event
    std::vector<std::pair<Event, LegacyEvent>> m_legacyFlows;
    std::map<std::tuple<uint32_t, uint64_t, uint64_t>, StringId> m_names; // (sequence, generation, iid)
    std::unordered_map<uint32_t, bool> m_isCommunication;                 // by name: see kernelCategory()
    // Incremental counters, by (sequence, generation, track). They restart at 0 when the incremental state is
    // cleared.
    std::map<std::tuple<uint32_t, uint64_t, uint64_t>, double> m_levels;
    SliceBatch m_batch;
    std::unordered_map<uint64_t, std::vector<Event>> m_open; // open events by track
    std::unordered_map<uint64_t, FlowEnd> m_lastOfFlow;
    std::unordered_map<uint64_t, std::vector<std::pair<int64_t, double>>> m_samples;
    // GPU counters have no track in the trace.
    std::map<std::pair<int64_t, StringId>, uint64_t>
        m_gpuCounters; // (GPU, name) -> number, which is used as the event's track
    std::map<uint64_t, std::vector<std::pair<int64_t, double>>> m_gpuSamples; // by number in m_gpuCounters
    TimeRange m_timestamps;                // range of all events; empty if there are no events
    std::map<int64_t, int64_t> m_pidOfGpu; // ID of the process that first used the GPU
    uint64_t m_instants = 0, m_slices = 0, m_links = 0, m_sampleCount = 0;
};

} // namespace lockstep
