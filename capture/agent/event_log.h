// SPDX-License-Identifier: Apache-2.0
// EventLog is a run's append-only log, events.jsonl in the run's folder. It has one writer (the supervisor)
// and any number of readers (attach, and programs that read the file). An event is one line, a JSON object
// in UTF-8:
//   {"seq": N, "t_ns": N, "kind": WORD, fields...}
// seq counts from 1 without gaps or duplicates, even if processes were killed in between. seq, t_ns and kind
// come first, in this order; the other fields are sorted by name. t_ns is the time in Unix-epoch ns on the
// node's clock. "command" is the zero-based index of a command in the plan. Readers skip kinds and fields
// that they do not know.
//
// Fields by kind; [] = not always present:
//
//   started         of the run: pid, commands (their count), [resumed: true if a new supervisor took over]
//                   of a command: command, name, argv
//                   of a command that is held back (see `go`): command, name, order, waiting: true
//   stdout, stderr  command, text, to, [cut_bytes], [open]. text: whole lines with their ends (\n, or \r as
//                   progress bars print), invalid UTF-8 replaced; the last line of a program may have no end.
//                   to: offset in the log file at the end of text. cut_bytes: how many bytes of the log file
//                   are not in text, because a line is too long or the limit (16 MiB, then 32 KiB per second)
//                   was exceeded. open: true if such a line continues
//   step            from a line of output: command, step, log, at, [mark: begin | end: the line was printed
//                   when the step began or ended; absent: unknown]. Recorded when the step number or the mark
//                   changes
//                   from a growing capture, which has begun the step: step, path, [path_hex]
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
//                   size_bytes, modified_ns, type, complete, reason, [old], [flushing], [shared], [final],
//                   [step], [exit_status]. Recorded
//                   when a file appears, becomes complete or changes its state.
//                     path_hex: the bytes of the name if they are not valid UTF-8 (path then contains U+FFFD)
//                     type: nsys report | nsys stream | nsys sqlite | trace json | memory snapshot |
//                       capture spool
//                     reason: what a complete file lacks, for example GPU rows
//                     old: true for files from before the run
//                     flushing: true while its process is running and still writing the file
//                     shared: true for a file in the working folder, but outside all report folders
//                     final: true if the process that wrote the file has ended without completing it
//                     step: latest training step that a capture names
//                     exit_status: of the process that wrote a capture, 0 to 255
//   clock_exchange  state, and fields by state (see clock_exchange.h). Timestamps are CLOCK_MONOTONIC_RAW in
//                   ns; wall_ns is CLOCK_REALTIME minus this clock; wall_doubt_ns is its error bound:
//                     listening: node (its host name), boot (ID), port, addresses (for other hosts' requests)
//                     round: via: udp, clock, peer (a host's name in the plan), boot, peer_boot, t1_ns
//                       (sent), t2_ns (received there), t3_ns (sent there), t4_ns (received), delay_ns,
//                       wall_ns, wall_doubt_ns, peer_wall_ns, peer_wall_doubt_ns. Best round of a burst
//                     reading: boot, raw_ns, wall_ns, wall_doubt_ns. Straight lines between readings (and
//                       rounds) are within 2 us of the wall clock
//                     unreachable: peer, text; reachable: peer
//                     dropped: counts by reason: malformed, foreign, replayed, limited, impossible,
//                       early (before the peers were known, which is not a fault); readings_left_out,
//                       not_written. Totals since the start; recorded each minute if they changed
//                     off: text (no port); refused: text (the peers' file)
//                   The launcher's copy of the log also has its own rounds: seq 0, via: link
//   exit            of a command: command, name, code (-1 = none), signal (0 = none), text (readable),
//                   dropped_bytes (output that was lost because the disk was full)
//                   of the run, always the last event: run: true, code (0 = all commands succeeded), stopped
//   error           failure (stable identifier), text (readable cause and remedy), [command],
//                   [line, log, at]. Each failure is recorded once per run. Identifiers: see
//                   log_findings.cpp; also file, start, plan, stop_ignored, disk_full, left_running,
//                   still_running, shared_folder, follower_restarted. Failures of the capture library are
//                   recorded as often as it reports them: capture_WORD, [path] (of the report), capture_log,
//                   to (number of bytes read from that file)
//   launch          a training that a launch script starts, see launch_shim.h: outcome (profiled | foreign |
//                   refused; an error launch_WORD follows the last two), framework, node, pid, folder, argv
//                   (as the script starts it), profiled_argv (what runs), added (words), added_environment,
//                   environment (without Lockstep's additions), [text]. Secrets are replaced by references
//   job             scheduler (slurm | ray), job (ID, "" while it is being submitted), phase (submitting |
//                   pending | running | ending | ended | forgotten), state, reason (from the scheduler), text
//                   (the state as readable text), [expected_start_s], [silent_since_s, silence: the scheduler
//                   does not respond], [restarts: how often it was requeued], nodes: [{name, [component of a
//                   heterogeneous job]}]. Recorded on each change
//   heartbeat       every 5 s
//   alive           never in the log: sent to a reader that follows after 5 s without an event. seq is 0
//   waiting         text: what the run waits for after its last command; recorded once. With seq 0,
//                   never in the log: the run has ended, and its disk is too full to record the end
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
    // Continues an existing log. Keeps its numbering, and removes a line that a killed writer left
    // unfinished. No reader was given that line.
    static Result<EventLog> open(const std::filesystem::path& path);

    EventLog(EventLog&& other) noexcept;
    EventLog& operator=(EventLog&&) = delete;
    ~EventLog();

    // Assigns a sequence number and a timestamp to an event and appends it. If the disk is full, the event is
    // kept in memory and written together with a later one. Callers therefore check isBlocked() before they
    // add events that can be deferred.
    void add(const char* kind, Json fields);
    // Tries again to write pending events. Returns true if no events are pending.
    bool flush();
    bool isBlocked() const { return !m_pending.empty(); }
    uint64_t lastSeq() const { return m_seq; }

  private:
    explicit EventLog(int fd) : m_fd(fd) {}

    int m_fd = -1;
    uint64_t m_seq = 0;
    std::deque<std::string> m_pending; // whole lines, oldest first
    size_t m_pendingOffset = 0;        // bytes of the first line that are already on disk
};

// EventReader reads a log from its beginning while the log grows, and while a new writer removes an
// unfinished last line. One thread.
class EventReader {
  public:
    explicit EventReader(std::filesystem::path path) : m_path(std::move(path)) {}
    EventReader(const EventReader&) = delete;
    EventReader& operator=(const EventReader&) = delete;
    ~EventReader();

    // Returns the next complete line without its newline, or "" if there is none yet. Valid until the next
    // call.
    std::string_view next();
    // Returns the file offset after the last line that next() returned.
    uint64_t offset() const { return m_offset + m_done; }

  private:
    bool readMore();

    std::filesystem::path m_path;
    int m_fd = -1;
    uint64_t m_offset = 0; // file offset of m_text's first byte
    std::string m_text;
    size_t m_done = 0; // number of bytes of m_text that were returned
};

// seqOfLine() returns the "seq" of an event line, or 0 if it has none. isRunEnd() returns whether it is the
// last event of the run. Both examine the text only.
uint64_t seqOfLine(std::string_view line);
bool isRunEnd(std::string_view line);
// Returns the current time in Unix-epoch ns.
int64_t wallClock_ns();

} // namespace lockstep::agent
