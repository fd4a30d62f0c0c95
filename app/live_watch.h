// SPDX-License-Identifier: Apache-2.0
// LiveWatch: a run's captures on the timeline while it goes on. A LiveFeed in a thread of its own brings
// their blocks; each round of reading turns what is new into pieces and tells the WorkspaceController, and
// beside it pieces are merged. When the collected reports are opened the pieces leave with the same scene.
// Owned by the RunPageController. UI thread; nothing here blocks it.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <vector>

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include "app/live_host_logs.h"
#include "app/live_merging.h"
#include "core/readers/capture_spool/live_recording.h"
#include "core/remote/live_feed.h"
#include "core/remote/run.h"
#include "core/scene/next_scene.h"
#include "ui/async/latest_job.h"

class QThread;

namespace lockstep {

class WorkspaceController;

// How well the watch keeps up.
struct LiveFigures {
    double lag_s = 0; // from the host's now to the newest stamp in the scene: of the worst process
    double received_bytesPerS = 0;       // over all links, in the last two seconds
    uint64_t received_bytes = 0;         // all told
    size_t processes = 0;                // spools that are watched
    uint64_t skippedBlocks = 0;          // that exist and were not sent
    std::vector<std::string> awaited;    // hosts that sent nothing yet
    std::vector<std::string> whyAwaited; // of those that were asked in vain
    std::vector<std::string> lost;       // hosts whose link is lost
    std::vector<std::string> problems;   // for people
    bool isWatching = false;
    bool hasEnded = false; // the run has, and all of it is here
};

class LiveWatch : public QObject {
    Q_OBJECT

  public:
    static constexpr int kLeastPause_ms = 200, kMostPause_ms = 2000; // between two rounds

    // memory: what is watched goes by its limit too; outlives this.
    LiveWatch(WorkspaceController& reports, const Workers& workers, MemoryBudget& memory,
              QObject* parent = nullptr);
    ~LiveWatch() override;

    // Watches the run's hosts as they are now; of a run that was watched before, the pieces leave.
    void begin(const Run& run);
    // Nothing more comes. The pieces stay until their reports are opened, or clear().
    void stop();
    // The pieces leave; waits: with the next scene, which brings what replaces them.
    void clear(bool waits);
    bool isWatching() const { return m_feed != nullptr; }
    bool holdsPieces() const { return !m_spools.empty() || m_hosts.isShown(); }
    const std::string& run() const { return m_run; } // its id; "" before the first
    // A round of reading is under way, or wanted.
    bool isBusy() const { return m_read.isRunning(); }
    LiveFigures figures() const;

  signals:
    void figuresChanged(); // at least once a second while it watches

  private:
    using RecordingPtr = std::shared_ptr<LiveRecording>;
    using Made = LiveMerging::Made;
    struct Shown { // a piece
        ReportKey key;
        uint64_t memory_bytes = 0;
        bool isOnDisk = false;
    };
    struct Spool {
        size_t host = 0;
        std::string id;
        RecordingPtr recording;
        std::map<uint64_t, Shown> pieces; // by number
        ReportKey open;                   // of what is open
        bool isOpenShown = false;
        int64_t newest_ns = INT64_MIN;      // read
        int64_t newestShown_ns = INT64_MIN; // in the scene
        bool isQuiet = false;               // all of it was read, and nothing more comes
    };
    struct Order { // what a round reads of one spool
        size_t spool = 0;
        RecordingPtr recording;
        LiveRecording::Reach reach;
        std::vector<LiveMerging::Merged> merged; // to be taken first
        std::optional<uint64_t> moved;           // a piece that is to be read elsewhere
    };
    struct Outcome {
        size_t spool = 0;
        LiveRecording::Change change;
        std::map<uint64_t, Made> made; // by piece
        Made open;
        int64_t newest_ns = INT64_MIN;
        std::optional<LiveRecording::Merge> wanted;
        std::string problem;
    };
    struct Outcomes {
        std::vector<Outcome> spools;
        std::vector<LiveHostLogs::Shown> hosts;
    };

    void addHosts(const Run& run);
    static Result<Outcomes> readAll(const std::vector<Order>& orders, const LiveHostLogs::Round& hosts,
                                    const Progress& progress);
    static Outcome readOne(const Order& order, const Progress& progress);
    void takeState(const LiveState& state);
    void takeScene();
    void readSoon();
    void read();
    std::vector<Order> ordersNow();
    void takeOutcomes(const Result<Outcomes>& outcomes);
    void addProblem(const std::string& problem);
    void show(SceneChange& change, const Outcome& outcome);
    OpenedInScene openedAs(ReportKey key, const Made& made, size_t host) const;
    void wantMerge(size_t spool, const LiveRecording::Merge& merge);
    void findRoom();

    WorkspaceController& m_reports;
    std::string m_run;
    std::filesystem::path m_folder; // where its blocks lie
    LiveFeed* m_feed = nullptr;     // in m_thread
    size_t m_runHosts = 0;          // that the feed was told of
    QMetaObject::Connection m_hostsAdded;
    QThread* m_thread = nullptr;
    LiveState m_state;
    std::vector<Spool> m_spools;
    LiveHostLogs m_hosts;
    std::vector<std::string> m_problems;
    std::optional<LivePlacement::Piece> m_toMove; // in the next round
    bool m_isShowing = false;                     // a scene with what was read is on its way
    uint64_t m_watch = 0; // counts begin(): what an earlier one's feed still tells is dropped
    std::deque<std::pair<qint64, uint64_t>> m_received; // (ms, bytes)
    QElapsedTimer m_clock, m_round;                     // since the round under way, or the last, began
    int m_cost_ms = 0;                                  // what a round took, until it was in a scene
    QTimer m_next, m_tick;
    LatestJob<Outcomes> m_read;
    LiveMerging m_merging;
};

} // namespace lockstep
