// SPDX-License-Identifier: Apache-2.0
// AscendImport reads the tables of one Ascend profiler database into a ReportBuilder: tasks of the streams
// (TASK with COMPUTE_TASK_INFO and COMMUNICATION_TASK_INFO), communications (COMMUNICATION_OP), calls
// (CANN_API), ops and Python (PYTORCH_API), marks (MSTX_EVENTS), steps (STEP_TIME), and identity
// (RANK_DEVICE_MAP, HOST_INFO). A missing table was not captured. Tables that have rows but are not read are
// counted in notes. One thread.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "core/readers/chrome_json/event_category.h"
#include "core/readers/nsys_sqlite/schema_probe.h"
#include "core/trace/report_builder.h"

namespace lockstep {

class AscendImport {
  public:
    AscendImport(const SqliteDatabase& database, const SchemaProbe& schema, ReportBuilder& builder,
                 const Progress& progress);

    // Fills the builder. The only possible error is ErrorKind::canceled, because corrupt tables are reported
    // as notes.
    Status run();

  private:
    struct Task {
        StringId name;
        bool isComputing = false; // true for computing tasks; otherwise the task is part of a collective
    };
    using TaskKey = std::array<int64_t, 3>; // (deviceId, streamId, taskId)

    // Calls take(query) for each row. Column 0 is the row ID, and the columns in `query` start at 1.
    template<size_t N, class Take>
    Status scan(std::string_view table, const std::array<std::string_view, N>& columns, Take take);

    Status readNames();
    Status readFacts();
    Status readTaskKinds();
    EventClass classOf(const Task* task, std::string_view type, std::string_view name, int64_t connection,
                       const TaskKey& place, bool isWholeTask) const;
    Status readConnections();
    Status readTasks();
    Status readCommunications();
    Status readCalls();
    Status readOps();
    Status readMarks();
    Status readSteps();
    Status readCounters();
    void noteUnread();

    void add(TrackId track, SliceRow row, int64_t end_ns);
    void addFlow(int64_t connection, const SliceRow& row, TrackId track, FlowRole role);
    SourceRow sourceOf(std::string_view table, int64_t row);
    StringId nameOf(int64_t id);
    ProcessId processOf(int64_t pid);
    TrackId threadTrack(TrackKind kind, int64_t globalTid);

    const SqliteDatabase& m_database;
    const SchemaProbe& m_schema;
    ReportBuilder& m_builder;
    const Progress& m_progress;
    SliceBatch m_batch{m_progress.place().temporary()};
    std::unordered_map<int64_t, StringId> m_names;
    std::unordered_map<int64_t, Task> m_tasks; // only compute and communication tasks, by globalTaskId
    bool m_hasComputeTasks = false;            // true if COMPUTE_TASK_INFO has rows
    std::set<int64_t> m_collectives;           // connectionId of each COMMUNICATION_OP
    std::set<TaskKey> m_computing;
    std::unordered_multimap<int64_t, int64_t> m_connections; // CONNECTION_IDS: id -> connectionId
    std::map<int64_t, std::string> m_apiTypes;               // ENUM_API_TYPE
    std::map<int64_t, std::string> m_dataTypes;              // ENUM_HCCL_DATA_TYPE
    std::map<std::string, uint8_t, std::less<>> m_sources;
    std::map<int64_t, int64_t> m_groups; // maps each groupName to its lane
    std::map<std::string, uint64_t> m_counts;
    std::map<int64_t, int64_t> m_pidOfDevice;
    bool m_hasSteps = false;
};

} // namespace lockstep
