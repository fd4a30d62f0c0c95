// SPDX-License-Identifier: Apache-2.0
// EventLog is a run's append-only log, events.jsonl in the run's folder. One writer (the supervisor), any
// number of readers (attach, and programs that read the file). An event is one line, a JSON object in UTF-8:
//   {"seq": N, "t_ns": N, "kind": WORD, fields...}
// seq counts from 1 without gaps or repeats, whatever was killed in between. seq, t_ns and kind come first,
// in this order; the other fields are sorted by name. t_ns is Unix-epoch ns of the node's clock. "command" is
// the number of a command in the plan, from 0. Readers skip kinds and fields that they do not know.
//
// Fields by kind; [] = not always present:
//
//   started         of the run: pid, commands (their count), [resumed: true where a new supervisor took over]
//                   of a command: command, name, argv
//                   of a command that is held back (see `go`): command, name, order, waiting: true
//   stdout, stderr  command, text, to, [cut_bytes], [open]. text: whole lines with their ends (\n, or \r as
//                   progress bars print), invalid UTF-8 replaced; the last line of a program may have no end.
//                   to: bytes of the log file up to here. cut_bytes: how many of them are missing in text,
//                   though not in the log file: of lines that are too long, or beyond 16 MiB and 32 KiB per
//                   second. open: true where such a line continues
//   step            command, step, log, at, [mark: begin | end: the line was printed when the step began or
//                   ended; absent: not known]. Recorded when the number or the mark changes
//   capture         command (except for stopping), and one of
//                     state: capturing | flushing
//                     state: written, path (of a report, as the profiler printed it)
//                     state: stopping, grace_s
//                     controller: "HOST PID" (verl's TaskRunner), worker: NAME (NeMo RL profiles it)
//                   log, at (except for stopping)
//   gpu             each second: cpu_percent (of all cores), memory_used_bytes, memory_total_bytes,
//                   received_bytes_per_s, sent_bytes_per_s, disk_free_bytes (of the run folder's disk),
//                   [disks: {folder: free bytes} of report folders on other disks],
//                   gpus: [{index, [busy_percent], used_bytes, total_bytes}]. Unknown values are absent
//   report          path, gone: true: the file was removed or renamed. Otherwise path, [path_hex],
//                   size_bytes, modified_ns, type, complete, reason, [old], [flushing], [shared]. Recorded
//                   when a file appears, becomes complete or changes its state.
//                     path_hex: the name's bytes where they are not UTF-8 (path shows U+FFFD)
//                     type: nsys report | nsys stream | nsys sqlite | trace json | memory snapshot |
//                       capture spool
//                     reason: what a complete file lacks, for example GPU rows
//                     old: true for files from before the run
//                     flushing: true while its process is running and still writes the file
//                     shared: true for a file below the working folder, outside all report folders
//   clock_exchange  state, and fields by state (see clock_exchange.h). Stamps are CLOCK_MONOTONIC_RAW in ns;
//                   wall_ns is CLOCK_REALTIME minus that, wall_doubt_ns its error bound:
//                     listening: node (its host name), boot (id), port, addresses: for other hosts' requests
//                     round: via: udp, clock, peer (a host's name in the plan), boot, peer_boot, t1_ns
//                       (sent), t2_ns (received there), t3_ns (sent there), t4_ns (received), delay_ns,
//                       wall_ns, wall_doubt_ns, peer_wall_ns, peer_wall_doubt_ns. The best of a burst
//                     reading: boot, raw_ns, wall_ns, wall_doubt_ns. Straight lines between readings (and
//                       rounds) are within 2 us of the wall clock
//                     unreachable: peer, text; reachable: peer
//                     dropped: datagrams by malformed, foreign, replayed, limited, impossible (and early:
//                       before the peers were known, which is not a fault); readings_left_out, not_written.
//                       Totals since the start; recorded each minute if they changed
//                     off: text (no port); refused: text (the peers' file)
//                   The launcher's copy of the log also has its own rounds: seq 0, via: link
//   exit            of a command: command, name, code (-1 = none), signal (0 = none), text (for a person),
//                   dropped_bytes (output that a full disk refused)
//                   of the run, always the last event: run: true, code (0 = all commands succeeded), stopped
//   error           failure (stable word), text (cause and remedy, for a person), [command], [line, log, at].
//                   Each once per run. Words: see log_signs.cpp; and file, start, plan, stop_ignored,
//                   disk_full, left_running, still_running, shared_folder, follower_restarted. Of the capture
//                   library, as often as it reports it: capture_WORD, [path] (the report concerned),
//                   capture_log, to (bytes of that file read)
//   job             scheduler (slurm | ray), job (id, "" while it is submitted), phase (submitting | pending
//                   | running | ending | ended | forgotten), state, reason (the scheduler's words), text (the
//                   state in words), [expected_start_s], [silent_since_s, silence: the scheduler does not
//                   answer], [restarts: how often it was requeued], nodes: [{name, [component of a
//                   heterogeneous job]}]. Recorded on each change
//   heartbeat       each 5 s
//   alive           never in the log: sent to a reader that follows after 5 s without an event. seq is 0
//   waiting         text: what the run waits for after its last command, once. With seq 0, never in the log:
//                   the run has ended and its disk is too full to record that
//
// log, at: the text was found in the command's "stdout" or "stderr", in the line that ends just before byte
// `at`. The event comes before the text around it.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/json_fields.h"
#include "core/base/result.h"

namespace lockstep::agent {

class EventLog {
  public:
    // Continues an existing log: takes up its numbering, and cuts off a line that a killed writer left
    // unfinished (no reader was given it).
    static Result<EventLog> open(const std::filesystem::path& path);

    EventLog(EventLog&& other) noexcept;
    EventLog& operator=(EventLog&&) = delete;
    ~EventLog();

    // Numbers, stamps and appends. When the disk is full the event is kept in memory and written with a later
    // one, so callers look at isBlocked() before they add what can wait.
    void add(const char* kind, Json fields);
    // Tries again to write what the disk refused. True when nothing is pending.
    bool flush();
    bool isBlocked() const { return !m_pending.empty(); }
    uint64_t lastSeq() const { return m_seq; }

  private:
    explicit EventLog(int fd) : m_fd(fd) {}

    int m_fd = -1;
    uint64_t m_seq = 0;
    std::deque<std::string> m_pending; // whole lines, oldest first
    size_t m_pendingOffset = 0;        // bytes of the first that are on disk already
};

// Reads a log from its beginning while it grows, and while a new writer cuts off an unfinished end. One
// thread.
class EventReader {
  public:
    explicit EventReader(std::filesystem::path path) : m_path(std::move(path)) {}
    EventReader(const EventReader&) = delete;
    EventReader& operator=(const EventReader&) = delete;
    ~EventReader();

    // The next whole line, without its newline; empty when there is none yet. Valid until the next call.
    std::string_view next();
    // Place in the file behind the last line that next() gave.
    uint64_t offset() const { return m_offset + m_done; }

  private:
    bool readMore();

    std::filesystem::path m_path;
    int m_fd = -1;
    uint64_t m_offset = 0; // of m_text's first byte in the file
    std::string m_text;
    size_t m_done = 0; // bytes of m_text that were given out
};

// The "seq" of an event line, 0 when it has none; whether it is the run's last event. Both look at the text
// only.
uint64_t seqOfLine(std::string_view line);
bool isRunEnd(std::string_view line);
// Unix-epoch ns now.
int64_t wallClock_ns();

} // namespace lockstep::agent
