// SPDX-License-Identifier: Apache-2.0
// LiveFeed receives the captures and sample records of a run from its hosts while the run continues. It runs
// `lockstep-agent live` on each host over a separate connection, stores the data in a LiveStore, resumes at
// the first missing block or line after a lost link, and reports the progress. It is used on one thread with
// an event loop, which need not be the window's thread, and writes files on that thread. When it is deleted,
// the hosts stop sending; the run is not affected.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include "core/readers/capture_spool/live_stream.h"
#include "core/remote/agent_client.h"

namespace lockstep {

// LiveStore stores the data of a host's live stream as capture files (spools) and files of records on this
// machine. Each file of the host has one growing local file, with mode 0600 in a folder with mode 0700, which
// is readable like any other capture file or file of records. The host is not trusted: names are sanitized,
// sizes and counts are limited, and blocks are verified by their checksums. Violations are counted and
// reported. Written by LiveFeed on its thread.
struct LiveSpool {
    std::filesystem::path path; // path on this machine
    std::string id;             // checksum of its header
    uint64_t bytes = 0;         // size of the file: header and complete blocks
    uint64_t nextBlock = 0;     // number of the first missing block
    // Blocks and records that the host did not send, as it reported.
    uint64_t skippedBlocks = 0, skippedRecords = 0;
    int64_t newest_ns = INT64_MIN;      // latest time in this file, on the file's clock
    int64_t newestThere_ns = INT64_MIN; // latest time in the host's file, as the host reports it
    bool isDone = false;                // no more data follows
    bool isElsewhere = false;           // written by a process of another machine, on a shared disk
};

// The newest lines of a file with records, each a line of JSON, or the beginning of a rollout dump. If the
// local file becomes too long, a new one with another path replaces it, which begins with the first lines and
// continues with the newer half.
struct LiveRecordFile {
    std::filesystem::path path; // path on this machine
    std::string folder;         // path of its folder on the host
    std::string id;             // as the host says; equal on all hosts that see the file
    uint64_t bytes = 0;         // size of the local file: complete lines
    uint64_t position = 0;      // position of the first missing line in the host's file
    uint64_t skipped_bytes = 0; // bytes that the host did not send, as it reported
    size_t number = 0, copies = 0;
    std::filesystem::path previous; // an earlier local file, which may still be read; empty if there is none
    bool isDone = false;            // no more data follows
    bool isDump = false;
    bool isComplete = false; // of a dump: all bytes have arrived

    // A dump cannot be read before it is complete.
    bool isReadable() const { return isDump ? isComplete : bytes > 0; }
};

// A reading of the host's clock with the local time of its arrival.
struct LiveClock {
    int64_t monotonicRaw_ns = 0;
    std::chrono::steady_clock::time_point arrived;

    // Returns the estimated current value of the host's clock.
    int64_t now_ns() const
    {
        return monotonicRaw_ns + std::chrono::nanoseconds(std::chrono::steady_clock::now() - arrived).count();
    }
};

class LiveStore {
  public:
    static constexpr size_t kMaxSpools = 4096;
    static constexpr size_t kMaxRecordFiles = 1024;
    static constexpr size_t kMaxNotes = 200;
    static constexpr uint64_t kMaxBytes = uint64_t(16) << 30; // maximum size on the local disk, per host
    static constexpr uint64_t kMinRecords_bytes = 2 << 20, kMaxRecords_bytes = 64 << 20; // per file

    // `folder` is used only for this host. It is created when the first file arrives. records_bytes: limit
    // for all files of records together; each of them may use an equal part, and at least kMinRecords_bytes.
    explicit LiveStore(std::filesystem::path folder, uint64_t max_bytes = kMaxBytes,
                       uint64_t records_bytes = uint64_t(1) << 30);

    // Starts a new stream from the same host, in which files are numbered anew.
    void beginStream();
    // Returns the id of the file that a frame announces; "" for other frames.
    static std::string announcedId(const LiveFrame& frame);
    // Returns the line for the standard input of `lockstep-agent live --have`.
    std::string haveLine() const;
    // Handles a frame. Returns corrupt if the stream does not come from a lockstep-agent. The caller must
    // then end the stream.
    Status take(const LiveFrame& frame);

    const std::vector<LiveSpool>& spools() const { return m_spools; }
    const std::vector<LiveRecordFile>& records() const { return m_records; }
    const std::optional<LiveClock>& clock() const { return m_clock; }
    // Returns messages about problems, each only once.
    const std::vector<std::string>& notes() const { return m_notes; }
    // Returns true if the run has ended and all data has arrived.
    bool hasEnded() const { return m_hasEnded; }

  private:
    Status handleFile(const LiveFrame& frame);
    Status takeBlock(const LiveFrame& frame);
    Status handleRecords(const LiveFrame& frame);
    void takeLines(const LiveFrame& frame);
    void takeDump(LiveRecordFile& file, uint64_t position, std::string_view bytes);
    bool startCopy(LiveRecordFile& file, std::string_view lines);
    void shorten(LiveRecordFile& file);
    void takeSkipped(const Json& head);
    void takeLag(const Json& head);
    bool append(const std::filesystem::path& path, uint64_t& size_bytes, std::string_view bytes, int more);
    LiveSpool* spoolOf(const Json& head);
    LiveRecordFile* recordsOf(const Json& head);
    void note(std::string text);

    std::filesystem::path m_folder;
    uint64_t m_max_bytes, m_records_bytes;
    uint64_t m_stored_bytes = 0;
    std::vector<LiveSpool> m_spools;
    std::vector<LiveRecordFile> m_records;
    std::map<uint64_t, size_t> m_byNumber, m_recordsByNumber; // keyed by the file's number in the stream
    std::optional<LiveClock> m_clock;
    std::vector<std::string> m_notes;
    bool m_hasEnded = false;
};

// Returns a safe local file name. Letters, digits and _.=+- of the host's file name are kept, and other
// characters are replaced by '-'. The result has at most 128 characters and ends in ".lsc".
std::string safeSpoolName(std::string_view name);

struct LiveFeedHost {
    std::string host; // name in messages
    std::shared_ptr<const Remote> remote;
    std::string agentFolder, runDir; // same as in HostRecord
};

struct LiveFeedOptions {
    AgentProgram agent;
    std::filesystem::path folder; // used only by this feed, which first empties it
    double last_s = 30;
    double rate_bytesPerS = 4'000'000; // limit per host
    double firstRetry_s = 1, longestRetry_s = 10;
    uint64_t records_bytes = uint64_t(1) << 30; // limit for the files of records of all hosts
};

// Progress of one host. Value type.
struct LiveHostState {
    enum class Link : uint8_t { connecting, open, lost, ended, failed };

    std::string host;
    Link link = Link::connecting;
    MessageWithHelp reason;      // why the link is lost, has failed or is still connecting
    uint64_t received_bytes = 0; // received over the link, in total
    std::optional<LiveClock> clock;
    std::vector<LiveSpool> spools;
    std::vector<LiveRecordFile> records;
    std::set<std::string> shared; // ids of files that the host sees, but another host sends
    std::vector<std::string> notes;
};
using LiveState = std::shared_ptr<const std::vector<LiveHostState>>;

class LiveHostFeed;

class LiveFeed : public QObject {
    Q_OBJECT

  public:
    static constexpr int kNotifyEvery_ms = 100;

    LiveFeed(std::vector<LiveFeedHost> hosts, LiveFeedOptions options, QObject* parent = nullptr);
    ~LiveFeed() override;

    // Starts the feed. Call this function and all functions below on the feed's thread.
    void begin();
    // Adds hosts that joined later: the nodes of a Slurm job, once it runs. In the state, they follow the
    // earlier hosts.
    void add(std::vector<LiveFeedHost> hosts);
    LiveState state() const;

  signals:
    // Emitted at most once per kNotifyEvery_ms.
    void advanced(const lockstep::LiveState& state);
    // Every host has ended or failed. This is the last signal, unless hosts are added.
    void ended(const lockstep::LiveState& state);

  private:
    friend class LiveHostFeed;
    void notify();
    // Returns true if this host sends the file with this id: it is the first that announced it.
    bool claim(const std::string& id, const LiveHostFeed& host);
    void release(const LiveHostFeed& host);

    const LiveFeedOptions m_options;
    std::vector<std::unique_ptr<LiveHostFeed>> m_hosts;
    std::map<std::string, const LiveHostFeed*> m_senders; // keyed by id of a file
    QTimer* m_notifyTimer;
    bool m_hasEnded = false;
};

} // namespace lockstep
