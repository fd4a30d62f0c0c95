// SPDX-License-Identifier: Apache-2.0
// LiveFiles shows the files of a watched run that are read again as they grow:
// - the event logs of the hosts: CPU, memory, network and GPU counters, commands, training steps and clock
//   comparisons. The Run writes them on this machine as events arrive.
// - the records of samples, requests, phases and metrics, which the LiveFeed receives.
// The same files are opened with the collected reports, so the final view is the same. LiveFiles is a part of
// LiveWatch, which reads the files in the same rounds as the captures. UI thread, except for Round.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/readers/live_records.h"
#include "core/readers/run_events/live_event_log.h"
#include "core/remote/live_feed.h"
#include "core/remote/run.h"
#include "core/scene/next_scene.h"

namespace lockstep {

class LiveFiles {
  public:
    struct Shown { // the report made from a file, with its level-of-detail data
        size_t file = 0;
        std::shared_ptr<const Report> report; // nullptr if the file has not changed
        std::shared_ptr<const ReportLod> lod;
        MessageWithHelp problem;
        std::chrono::milliseconds cost{0}; // time to make the report
    };
    // Round holds the files that one round reads on a worker. Only one round runs at a time.
    class Round {
      public:
        size_t size() const { return m_files.size(); }
        // Reads the i-th due file.
        Shown read(size_t i, const Progress& progress) const;

      private:
        friend class LiveFiles;
        std::vector<std::pair<size_t, std::shared_ptr<LiveFile>>> m_files;
    };

    // Replaces the files by the event logs of the run's current hosts.
    void begin(const Run& run);
    // Adds the event logs of hosts that joined the run later, starting at index `first`.
    void add(const Run& run, size_t first);
    // Adds the records that have arrived. A file that several hosts see is shown once, and the files of one
    // recording are shown together. Call it only while no round runs.
    void update(const std::vector<LiveHostState>& hosts);
    bool isShown() const;
    // Returns the number of files with records that are watched.
    size_t recordFiles() const { return m_places.size(); }
    // Returns the files due for reading. Reading a file may use at most a twentieth of a core's time, so
    // longer files are read less often.
    Round round() const;
    uint64_t memory_bytes() const;
    // Adds the new reports to `change`. newKey() is called for the key of a file that is shown for the first
    // time.
    template<class NewKey>
    void show(SceneChange& change, const std::vector<Shown>& shown, NewKey newKey)
    {
        for (const Shown& one : shown) {
            if (one.report == nullptr) continue;
            File& file = m_files[one.file];
            file.memory_bytes = one.report->residentBytes() + one.lod->residentBytes();
            file.due = Clock::now() + std::min<Clock::duration>(kTimesCost * one.cost, kLongestPause);
            if (!file.key.isValid()) {
                file.key = newKey();
            } else {
                change.closed.insert(file.key);
            }
            change.opened.push_back(openedAs(file, one));
        }
    }
    // Adds the removal of all files to `change`.
    void close(SceneChange& change);

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr int kTimesCost = 20;
    static constexpr std::chrono::seconds kLongestPause{10};

    struct File {
        std::string host; // empty if several hosts see the file
        std::shared_ptr<LiveFile> file;
        ReportKey key; // valid once the file is shown
        uint64_t memory_bytes = 0;
        Clock::time_point due;
    };
    struct Recording {
        std::string name; // unique
        size_t file = 0;  // index in m_files
        std::shared_ptr<LiveRecords> records;
        std::map<std::string, LiveRecords::Part> parts; // by place in the recording
    };
    struct Place {
        size_t recording = 0; // index in m_recordings
        std::string part;
    };
    Place placeOf(const LiveHostState& host, const LiveRecordFile& file);
    OpenedInScene openedAs(const File& file, const Shown& shown) const;

    std::string m_run;
    std::vector<File> m_files;
    std::vector<Recording> m_recordings;
    std::map<std::string, Place> m_places; // by id of the file
};

} // namespace lockstep
