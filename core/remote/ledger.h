// SPDX-License-Identifier: Apache-2.0
// Ledger is the collection status of a run: expected and found reports, with one entry per role, rank and
// step (or stage). Created from the forecast and updated from the agents' events and by the collector. It is
// displayed, printed, and stored in the workspace. A file counts as verified only if it was opened and
// contains rows. Value type.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/session/expected_files.h"

namespace lockstep {

enum class LedgerState : uint8_t {
    expected,  // nothing found yet
    capturing, // the profiler is recording, or the file is growing
    flushing,  // recorded, not yet complete
    complete,  // complete on its node
    fetched,   // on this machine, with the same sha256
    verified,  // opened on this machine: the report has its tables and rows
    missing,   // not written, removed or unusable; see `reason`
    absent,    // optional and not written: belongs to a stage that this run's configuration does not use
    cutShort,  // on this machine but truncated; the rest can be opened; see `reason`
    found      // in a shared folder and not expected; collected only if the user selects it
};
inline constexpr size_t kLedgerStates = 10;
std::string_view ledgerStateName(LedgerState state);

struct LedgerLocation {
    std::string host, path;

    friend bool operator==(const LedgerLocation&, const LedgerLocation&) = default;
};

// What is known about the process that writes a capture.
struct CaptureWriter {
    std::optional<int64_t> rank;       // according to the name of the file
    std::optional<int64_t> step;       // latest training step that it has begun
    std::optional<int64_t> exitStatus; // set once it has ended through exit()
    bool wasCutShort = false;      // it was killed, crashed, or was stopped before it completed its report
    bool wasStopRequested = false; // the run was being stopped at that time
    int64_t ended_ns = 0;          // time of the last write; Unix epoch, clock of the file server

    bool hasFailed() const { return exitStatus.value_or(0) != 0 && !wasStopRequested; }
    friend bool operator==(const CaptureWriter&, const CaptureWriter&) = default;
};

struct LedgerEntry {
    ReportKind kind = ReportKind::nsysReport;
    std::string role; // "" for programs without roles
    std::string host; // "" until the run determines the host
    std::optional<int64_t> rank;
    std::vector<int64_t> steps; // the steps that the report covers; empty = unknown
    // Zero-based index among the reports of its rank, ordered by group of steps and then by stage.
    int64_t order = 0;
    bool wasExpected = true;  // false if it does not match any line of the forecast
    bool isOpenEnded = false; // created for a file that matches a forecast line that has no report count
    // from an optional stage; if it does not exist at the end, its state is absent instead of missing
    bool isOptional = false;
    LedgerState state = LedgerState::expected;
    std::string reason;                 // readable reason why it is missing or incomplete
    std::string path;                   // path on the node; empty until a file was found
    std::vector<LedgerLocation> alsoAt; // where other hosts see the same file on a shared disk
    int64_t size_bytes = 0;
    std::string sha256;
    std::string localPath;  // set once the report was fetched
    bool isReduced = false; // localPath contains only columns; the raw file is still on the node
    int64_t rows = 0;       // set once the report was verified
    CaptureWriter writer;   // only for captures

    // Returns the rank, or the rank in the name of a capture whose content was not read yet.
    std::optional<int64_t> knownRank() const { return rank ? rank : writer.rank; }

    friend bool operator==(const LedgerEntry&, const LedgerEntry&) = default;
};

// Information from the content of a fetched file.
struct ContentCheck {
    int64_t rows = 0;
    std::optional<int64_t> rank, step;
    std::string role;
    std::string host;        // host that wrote the file, by its name in the session; "" = unknown
    std::string run;         // ID of the run, if a Lockstep capture recorded one
    std::string problem;     // empty if the file was opened and is not empty
    std::string loss;        // rows that were lost during recording; the file itself is complete
    std::string uncertainty; // why the file may belong to another run, although it can be opened
    bool isCut = false;      // the file is truncated; the rest was opened
    // The problem is that this machine cannot open the file (no nsys); the entry stays fetched.
    bool isUnopened = false;

    friend bool operator==(const ContentCheck&, const ContentCheck&) = default;
};

class Ledger {
  public:
    // Maximum number of unexpected reports, per host and in total. Further reports are only counted.
    static constexpr size_t kMaxFoundOfHost = 30'000;
    static constexpr size_t kMaxFound = 120'000;

    Ledger() = default;
    explicit Ledger(std::span<const ExpectedFile> forecast);

    std::span<const LedgerEntry> entries() const { return m_entries; }
    // Returns the number of entries per state, indexed by enumerator. The counts add up to entries().size().
    std::array<size_t, kLedgerStates> counts() const;
    // Returns the number of expected reports, without optional reports that were not found.
    size_t expectedCount() const;
    // Returns false if a forecast line has no report count.
    bool isCountKnown() const { return m_openLines.empty(); }
    // Returns a message for each forecast line without a report count that no report matched: "node0: no
    // report of torch: no file name matches .+\\.json".
    std::vector<std::string> unmatchedLines() const;
    // Returns a summary such as "3 verified, 1 missing of 4". The total is omitted if the forecast has none.
    std::string summary() const;

    // Returns false if a report at this place would exceed the limits. In that case the report is counted in
    // excluded().
    bool hasRoomFor(std::string_view host, std::string_view path, std::string_view kindName);
    // Returns the number of reports that were left out, keyed by host.
    const std::map<std::string, uint64_t, std::less<>>& excluded() const { return m_excluded; }
    // Records a report found on a host. Uses the entry of its path, otherwise the first free entry that
    // matches its name, kind and host, otherwise a new entry. A new entry is expected if the report matches a
    // forecast line that has no report count. Entries of incomplete files become capturing, or flushing if
    // the writing process is known. Returns the entry's index.
    size_t noteFound(std::string_view host, std::string_view path, std::string_view kindName,
                     int64_t size_bytes, bool isComplete, std::string_view reason, bool isFlushing = false);
    // Records the state of the process that writes a capture. A path that does not match any entry is
    // ignored.
    void noteWriter(std::string_view host, std::string_view path, const CaptureWriter& writer);
    // Returns the entry of the host whose process was the first to fail, or else the first to be cut short
    // although the run was not being stopped; nullptr if there is none.
    const LedgerEntry* firstFailure(std::string_view host) const;
    // Records a problem that the host reported about a file being written, as the reason for the entry that
    // owns (or would own) the file. A path that does not match any entry is ignored.
    void noteProblem(std::string_view host, std::string_view path, std::string_view reason);
    // Records that the entry's file is in a shared folder. If the file matches no forecast line, it is listed
    // but not collected.
    void noteShared(size_t entry);
    // Records that the file no longer exists. Files that were collected or are visible on another host are
    // not affected. when_ns: Unix epoch, host's clock; nullopt: at some time after the host's last scan.
    void noteGone(std::string_view host, std::string_view path, std::optional<int64_t> when_ns);
    void noteDigest(size_t entry, std::string sha256);
    // Records the profiler's state on a host for its entries without a file.
    void noteCapture(std::string_view host, LedgerState state);
    void noteFetched(size_t entry, std::string localPath, bool isReduced);
    // Records the verification of a file. If the content contradicts the name, the file moves to the entry
    // that the content indicates. If that entry already has a verified file, the file whose name agrees with
    // its content keeps the entry, and the other file becomes missing. Returns the index of the file's entry
    // afterwards.
    size_t noteCheck(size_t entry, const ContentCheck& check);
    // Merges two entries that are the same file as seen by two hosts. The expected entry is kept. The other
    // entry is removed, or reset to having no file. Later entries move up. Returns the index of the entry
    // that is kept.
    size_t noteSame(size_t first, size_t second);
    // Compares the digest of a file that was merged into another host's entry. If the digest differs, removes
    // the file's place from that entry; the file then has no entry until it is found again. Returns whether
    // the place was removed.
    bool noteDifferent(size_t entry, const LedgerLocation& place, std::string_view sha256);
    // Records that the file with this name was renamed. If its entry's file is incomplete or gone, the entry
    // is reset as if the file had not been found.
    void noteRenamed(std::string_view host, std::string_view path);
    void noteMissing(size_t entry, std::string reason);
    // Records that the host's run has ended. Its expected entries without a file become missing with this
    // reason, and its optional entries become absent. The outcome of entries with a file is determined when
    // the host's reports are listed.
    void closeHost(std::string_view host, std::string_view reason);
    // Records that nothing more will be written and that the reports of all hosts were listed. Incomplete
    // entries become missing. They get this reason unless they already have one.
    void close(std::string_view reason);
    // Returns the entry of a path on a host, even if the entry belongs to another host that sees the same
    // file. Takes constant time, but linear time after an entry other than the last was removed.
    std::optional<size_t> find(std::string_view host, std::string_view path) const;

    friend bool operator==(const Ledger&, const Ledger&) = default;

  private:
    // A forecast line that has no report count.
    struct OpenLine {
        ReportKind kind = ReportKind::nsysReport;
        std::string role, host, pattern;

        friend bool operator==(const OpenLine&, const OpenLine&) = default;
    };
    const OpenLine* openLineFor(std::string_view host, std::string_view path, ReportKind kind) const;
    bool fitsForecast(const LedgerEntry& entry) const;
    std::optional<size_t> entryFor(std::string_view host, std::string_view path, ReportKind kind) const;

    // The expected reports of one rank in one forecast line are a slot: consecutive entries whose order
    // counts from 0. A slot is named by the index of its first entry.
    struct ProcessSlots {
        std::vector<size_t> begins; // slot of each expected entry
        std::vector<size_t> own;    // slots with files of the process
        std::vector<bool> isTaken;  // by slot: it has files of other processes
    };
    ProcessSlots slotsOf(std::string_view host, std::string_view pid) const;
    // Returns the entry of a report that a framework has moved to this path, and sets the entry's path. The
    // new name is the old one with a prefix, and the process ID is the same.
    std::optional<size_t> entryOfMoved(std::string_view host, std::string_view path, ReportKind kind);
    // For a report for which the slot of its process has no entry: exchanges the files of this slot and of
    // one that has a free entry for the report, if both slots have room, and returns the entry. Names
    // without a rank do not show which slot is right.
    std::optional<size_t> entryAfterMove(std::string_view host, std::string_view path, ReportKind kind);

    // Returns the entry that this content belongs to, or nullopt if the file is already in that entry; see
    // noteCheck().
    std::optional<size_t> entryOfContent(size_t entry, const ContentCheck& check) const;
    std::optional<int64_t> namedRank(size_t entry) const;
    void swapEntryFiles(size_t first, size_t second);
    void notePid(size_t entry, std::string_view path);
    void erase(size_t entry);
    void resetEntry(size_t entry); // Resets an entry whose file belongs to another entry.
    // Moves unexpected files into expected entries that have become free.
    void fillFreeEntries();

    // Index of entries by host and path, built on first use. Not part of the value; copies start without it.
    struct Index {
        Index() = default;
        Index(const Index&) {}
        Index(Index&&) noexcept = default;
        Index& operator=(const Index&) { return *this = Index(); }
        Index& operator=(Index&&) noexcept = default;
        ~Index() = default;

        bool isValid = false;
        std::unordered_map<std::string, size_t> places;
        std::map<std::string, size_t, std::less<>> found; // number of unexpected entries, keyed by host

        friend bool operator==(const Index&, const Index&) { return true; }
    };
    const Index& index() const;
    static std::string placeKey(std::string_view host, std::string_view path); // key in the index
    static void addPlaces(const LedgerEntry& entry, size_t at,
                          std::unordered_map<std::string, size_t>& places);
    // Keep the index valid. They are called before and after an entry's places change.
    void removeFromIndex(size_t entry);
    void addToIndex(size_t entry);

    std::vector<LedgerEntry> m_entries; // the entries of the forecast come first
    size_t m_expected = 0;              // number of entries of the forecast
    std::vector<OpenLine> m_openLines;
    std::map<std::string, uint64_t, std::less<>> m_excluded;
    mutable Index m_index;
    std::map<std::string, std::string> m_moved; // new paths of moved reports, keyed by host and old path
    std::vector<std::string> m_patterns;        // file name patterns, indexed by entry; "" = none
    std::vector<std::string>
        m_pids; // process IDs of the writers of the files, indexed by entry; "" = none or unknown
    void addEntryJson(std::string& out, size_t entry, bool asAscii) const;
    friend std::string jsonFromLedger(const Ledger& ledger);
    friend std::string ledgerEntriesLine(const Ledger& ledger);
    friend Result<Ledger> ledgerFromJson(std::string_view text);
};

// Returns {"lockstep_ledger": 1, "entries": [...]}, one entry per line.
std::string jsonFromLedger(const Ledger& ledger);
// Returns only the list of entries, on one line in ASCII.
std::string ledgerEntriesLine(const Ledger& ledger);
// Parses the JSON of a ledger. Returns corrupt if it is invalid.
Result<Ledger> ledgerFromJson(std::string_view text);
// Returns a sentence about the reports that several hosts see, or an empty string if there are none.
std::string sharedText(const Ledger& ledger);
// Returns how the process of a capture ended if it failed or was cut short, such as "rank 2 ended in step 3
// of 10 at 18:14:54 UTC, exit status 1"; otherwise "". steps: number of training steps of the run.
std::string writerEndText(const LedgerEntry& entry, std::optional<int64_t> steps = {});
// Returns a readable table: role, rank, steps, host, state, size, path or reason.
std::string ledgerText(const Ledger& ledger);

} // namespace lockstep
