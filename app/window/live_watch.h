// SPDX-License-Identifier: Apache-2.0
// LiveWatch shows the captures, event logs and sample records of a running run on the timeline. A LiveFeed in
// its own thread receives their blocks and lines. Each round of reading turns the new blocks into chunks and
// passes the chunks to the WorkspaceController. LiveMerging merges chunks concurrently. The scene that opens
// the collected reports also removes the chunks. Owned by the LiveController. UI thread; never blocks.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <vector>

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include "app/window/live_files.h"
#include "app/window/live_merging.h"
#include "core/readers/capture_spool/live_recording.h"
#include "core/remote/live_feed.h"
#include "core/remote/run.h"
#include "core/scene/next_scene.h"
#include "ui/async/latest_job.h"

class QThread;

namespace lockstep {

class WorkspaceController;

// LiveFigures holds the state and the throughput of the watch.
struct LiveFigures {
    double lag_s = 0; // age of the newest data in the scene (host clock); the maximum over all processes
    double received_bytesPerS = 0;           // over all links, during the last two seconds
    uint64_t received_bytes = 0;             // received since the watch began
    size_t processes = 0;                    // number of watched capture files
    size_t recordFiles = 0;                  // number of watched files with sample records
    uint64_t skippedBlocks = 0;              // number of blocks that exist on the hosts but were not sent
    uint64_t skippedRecords_bytes = 0;       // bytes of sample records that were not sent
    std::vector<std::string> awaited;        // hosts that have not sent data yet
    std::vector<std::string> awaitedReasons; // reasons why hosts could not be reached
    std::vector<std::string> lost;           // hosts to which the link is lost
    std::vector<MessageWithHelp> problems;   // messages for the user
    bool isWatching = false;
    bool hasEnded = false; // true if the run has ended and all its data was received
};

class LiveWatch : public QObject {
    Q_OBJECT

  public:
    static constexpr int kMinPause_ms = 200, kMaxPause_ms = 2000; // pause between two rounds

    // The limit of `memory` also applies to the watched data; `memory` must outlive this object.
    LiveWatch(WorkspaceController& reports, const Workers& workers, MemoryBudget& memory,
              QObject* parent = nullptr);
    ~LiveWatch() override;

    // Watches the hosts of the run. Removes the chunks of a previously watched run.
    void begin(const Run& run);
    // Stops receiving. The chunks stay until the collected reports are opened or clear() is called.
    void stop();
    // Removes the chunks. If `waits` is true, they are removed in the next scene, which contains the reports
    // that replace them; otherwise at once.
    void clear(bool waits);
    bool isWatching() const { return m_feed != nullptr; }
    bool hasPieces() const { return !m_spools.empty() || m_files.isShown(); }
    const std::string& run() const { return m_run; } // id of the run; "" before the first run
    // Returns true while a round of reading runs.
    bool isBusy() const { return m_read.isRunning(); }
    LiveFigures figures() const;

  signals:
    void figuresChanged(); // at least once per second while watching

  private:
    using RecordingPtr = std::shared_ptr<LiveRecording>;
    using BuiltReport = LiveMerging::BuiltReport;
    struct Shown { // a chunk in the scene
        ReportKey key;
        uint64_t memory_bytes = 0;
        bool isOnDisk = false;
    };
    struct Spool {
        size_t host = 0;
        std::string id;
        bool isElsewhere = false; // written by a machine other than the host that sends it
        RecordingPtr recording;
        std::map<uint64_t, Shown> chunks; // keyed by chunk number
        ReportKey open;                   // key of the report with open ranges
        bool isOpenShown = false;
        int64_t newest_ns = INT64_MIN;      // newest time read
        int64_t newestShown_ns = INT64_MIN; // newest time in the scene
        bool isQuiet = false;               // true if everything was read and no more data will arrive
    };
    struct Order { // what a round reads from one capture file
        size_t spool = 0;
        RecordingPtr recording;
        LiveRecording::Reach reach;
        std::vector<LiveMerging::Merged> merged; // merges to apply first
        std::optional<uint64_t> moved;           // chunk to move to disk
    };
    struct Outcome {
        size_t spool = 0;
        LiveRecording::Change change;
        std::map<uint64_t, BuiltReport> built; // keyed by chunk number
        BuiltReport open;
        int64_t newest_ns = INT64_MIN;
        std::optional<LiveRecording::Merge> mergeRequest;
        MessageWithHelp problem;
    };
    struct Outcomes {
        std::vector<Outcome> spools;
        std::vector<LiveFiles::Shown> files;
    };

    void addHosts(const Run& run);
    static Result<Outcomes> readAll(const std::vector<Order>& orders, const LiveFiles::Round& files,
                                    const Progress& progress);
    static Outcome readOne(const Order& order, const Progress& progress);
    void applyState(const LiveState& state);
    void applyScene();
    void readSoon();
    void read();
    std::vector<Order> makeOrders();
    void handleOutcomes(const Result<Outcomes>& outcomes);
    void addProblem(const MessageWithHelp& problem);
    void show(SceneChange& change, const Outcome& outcome);
    OpenedInScene openedAs(ReportKey key, const BuiltReport& built, const Spool& spool) const;
    void requestMerge(size_t spool, const LiveRecording::Merge& merge);
    void findRoom();

    WorkspaceController& m_reports;
    std::string m_run;
    std::filesystem::path m_folder; // folder of the received blocks
    LiveFeed* m_feed = nullptr;     // lives on m_thread
    size_t m_runHosts = 0;          // number of hosts known to the feed
    QMetaObject::Connection m_hostsAdded;
    QThread* m_thread = nullptr;
    LiveState m_state;
    std::vector<Spool> m_spools;
    LiveFiles m_files;
    std::vector<MessageWithHelp> m_problems;
    std::optional<LivePlacement::Chunk> m_toMove; // chunk to move in the next round
    // True while a scene with the data of the last round is being built.
    bool m_isShowing = false;
    uint64_t m_watch = 0; // counts begin() calls; signals of earlier feeds are ignored
    std::deque<std::pair<qint64, uint64_t>> m_received; // pairs of (ms, bytes)
    QElapsedTimer m_clock, m_round; // m_round: since the start of the current or last round
    int m_cost_ms = 0;              // duration of the last round, including its scene
    QTimer m_next, m_tick;
    LatestJob<Outcomes> m_read;
    LiveMerging m_merging;
};

} // namespace lockstep
