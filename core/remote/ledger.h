// SPDX-License-Identifier: Apache-2.0
// Ledger: the account of a run's reports, expected against found, one entry per role x rank x step (or
// stage). Made from the forecast, filled from what the agents tell and the collector proves; shown, printed,
// and kept in the workspace. Content is the proof: a file counts as verified when it was opened and holds
// rows. A plain value.
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
    expected,  // nothing seen yet
    capturing, // the profiler records, or the file grows
    flushing,  // recorded, not yet whole
    complete,  // whole on its node
    fetched,   // here, same sha256 as there
    verified,  // opened here: tables present, rows not empty
    missing,   // will not come, is gone, or is no use: see reason
    absent,    // may come and did not: a stage that this run's configuration does without
    cutShort,  // here, without its end: the rest can be opened; see reason
    found      // in a folder that others use too, and nothing expects it: not collected unless chosen
};
inline constexpr size_t kLedgerStates = 10;
std::string_view ledgerStateName(LedgerState state);

struct LedgerPlace {
    std::string host, path;

    friend bool operator==(const LedgerPlace&, const LedgerPlace&) = default;
};

struct LedgerEntry {
    ReportKind kind = ReportKind::nsysReport;
    std::string role; // "" for programs without roles
    std::string host; // "" while only the run decides
    std::optional<int64_t> rank;
    std::vector<int64_t> steps; // the group of steps it covers; empty where not known
    int64_t order = 0;          // n-th report of its rank, from 0: groups of steps, each with its stages
    bool wasExpected = true;    // false: fits no line of the forecast
    bool isOpenEnded = false;   // made for a file that fits a line without a number of reports
    bool isMaybe = false; // of a stage that a configuration may do without: absent in the end, never missing
    LedgerState state = LedgerState::expected;
    std::string reason;              // missing, or why it is not further; plain words
    std::string path;                // on the node; empty while nothing was seen
    std::vector<LedgerPlace> alsoAt; // where other hosts see the very same file: a disk they share
    int64_t size_bytes = 0;
    std::string sha256;
    std::string localPath;  // once fetched
    bool isReduced = false; // localPath holds columns only; the raw file is still on the node
    int64_t rows = 0;       // once verified

    friend bool operator==(const LedgerEntry&, const LedgerEntry&) = default;
};

// What content told about a fetched file.
struct ContentProof {
    int64_t rows = 0;
    std::optional<int64_t> rank, step;
    std::string role;
    std::string host;        // that wrote it, as the session names it; "" = not told
    std::string run;         // of a Lockstep capture that was told one: the run's id
    std::string problem;     // empty: opened and not empty
    std::string loss;        // rows that were lost while it was written; what is there is whole
    std::string doubt;       // why it may be another run's, though it opens
    bool isCut = false;      // problem says that its end is missing; the rest was opened
    bool isUnopened = false; // problem says why this machine cannot look inside (no nsys here): stays fetched

    friend bool operator==(const ContentProof&, const ContentProof&) = default;
};

class Ledger {
  public:
    // Reports that were found without being expected, of one host and of all; more are only counted.
    static constexpr size_t kMostFoundOfHost = 30'000;
    static constexpr size_t kMostFound = 120'000;

    Ledger() = default;
    explicit Ledger(std::span<const ExpectedFile> forecast);

    std::span<const LedgerEntry> entries() const { return m_entries; }
    // Entries in a state, by enumerator; their sum is entries().size().
    std::array<size_t, kLedgerStates> counts() const;
    // Without those that may come and have not.
    size_t expectedCount() const;
    // False where some line of the forecast leaves the number of its reports to the run.
    bool isCountKnown() const { return m_openLines.empty(); }
    // Of the lines without a number those that no report came of: "node0: no report of torch (.+\\.json)".
    std::vector<std::string> unmetLines() const;
    // "3 verified, 1 missing of 4"; without a total where the forecast knows none.
    std::string summary() const;

    // False where a report at this place would be one too many; it is counted in leftOut() then.
    bool hasRoomFor(std::string_view host, std::string_view path, std::string_view kindWord);
    // Sightings of reports that were left out, by host.
    const std::map<std::string, uint64_t, std::less<>>& leftOut() const { return m_leftOut; }
    // A report seen on a host: takes the entry that its path already has, else the first free one that its
    // name, kind and host fit, else a new one: expected where a line of the forecast without a number fits.
    // Growing files are capturing; those of a process that is known to write them, flushing. The entry's
    // index.
    size_t noteFound(std::string_view host, std::string_view path, std::string_view kindWord,
                     int64_t size_bytes, bool isComplete, std::string_view reason, bool isFlushing = false);
    // What the host told of a report that is being written, or could not be: kept as the reason of the entry
    // that has the file, or would have it. A path that fits nowhere is passed over.
    void noteTrouble(std::string_view host, std::string_view path, std::string_view reason);
    // The entry's file is in a folder that others use too. Where no line of the forecast fits it, it is
    // listed and not collected.
    void noteShared(size_t entry);
    // The file is no longer there. One that was collected before stays; so does one that another host sees.
    // when_ns: Unix epoch, the host's clock; absent: after the host looked for the last time.
    void noteGone(std::string_view host, std::string_view path, std::optional<int64_t> when_ns);
    void noteDigest(size_t entry, std::string sha256);
    // The profiler's state on a host, for entries of it that have no file yet.
    void noteCapture(std::string_view host, LedgerState state);
    void noteFetched(size_t entry, std::string localPath, bool isReduced);
    // Content that contradicts the name moves the file to the entry it belongs to. Where another proved file
    // is there already, the one whose name agrees stays, and the other is missing: whose it is nobody knows.
    // The index of the file's entry afterwards.
    size_t noteProof(size_t entry, const ContentProof& proof);
    // Two entries turned out to be one file that two hosts see. One stays: the one that was expected; the
    // other goes, or waits for its file again. Entries behind it move up. The index of the one that stays.
    size_t noteSame(size_t first, size_t second);
    // The digest of a file that was taken for another host's: where it differs from the entry's, the place
    // leaves the entry, and is nowhere until it is found again. True where it left.
    bool noteApart(size_t entry, const LedgerPlace& place, std::string_view sha256);
    // The file that was told under this name has another one now: an entry without a whole file, or whose
    // file is gone, is as if it had not been told.
    void noteRenamed(std::string_view host, std::string_view path);
    void noteMissing(size_t entry, std::string reason);
    // The host's run has ended: what was to come from it and has no file is missing, with this reason. What
    // has a file is judged when it is listed. What may come is absent then.
    void closeHost(std::string_view host, std::string_view reason);
    // Nothing will be written and everything was listed: what is not complete anywhere is missing, with this
    // reason where the entry has none.
    void close(std::string_view reason);
    // Entry of that host and path, also where another host sees the same file. Constant time, but linear
    // after an entry before the last was removed.
    std::optional<size_t> find(std::string_view host, std::string_view path) const;

    friend bool operator==(const Ledger&, const Ledger&) = default;

  private:
    // A line of the forecast that leaves the number of its reports to the run.
    struct OpenLine {
        ReportKind kind = ReportKind::nsysReport;
        std::string role, host, pattern;

        friend bool operator==(const OpenLine&, const OpenLine&) = default;
    };
    const OpenLine* openLineFor(std::string_view host, std::string_view path, ReportKind kind) const;
    bool fitsForecast(const LedgerEntry& entry) const;
    std::optional<size_t> placeFor(std::string_view host, std::string_view path, ReportKind kind) const;

    // Entry that this content belongs to, where it is not the one that it is in; see noteProof().
    std::optional<size_t> placeOfProof(size_t entry, const ContentProof& proof) const;
    std::optional<int64_t> namedRank(size_t entry) const;
    void swapPlaces(size_t first, size_t second);
    void notePid(size_t entry, std::string_view path);
    void erase(size_t entry);
    void release(size_t entry); // its file is another's: it waits again
    // Files beside the forecast that fit where a place in it became free.
    void fillFreePlaces();

    // Entries by host and path, made when it is first needed. Not part of the value: a copy has none.
    struct Index {
        Index() = default;
        Index(const Index&) {}
        Index(Index&&) noexcept = default;
        Index& operator=(const Index&) { return *this = Index(); }
        Index& operator=(Index&&) noexcept = default;
        ~Index() = default;

        bool isValid = false;
        std::unordered_map<std::string, size_t> places;
        std::map<std::string, size_t, std::less<>> found; // entries that were not expected, by host

        friend bool operator==(const Index&, const Index&) { return true; }
    };
    const Index& index() const;
    // Before and after an entry's places change: keep a valid index so.
    void forgetPlaces(size_t entry);
    void indexPlaces(size_t entry);

    std::vector<LedgerEntry> m_entries; // those of the forecast first
    size_t m_expected = 0;              // how many these are
    std::vector<OpenLine> m_openLines;
    std::map<std::string, uint64_t, std::less<>> m_leftOut;
    mutable Index m_index;
    std::vector<std::string> m_patterns; // of the entries' file names, by entry; "" = none
    std::vector<std::string>
        m_pids; // of the processes that wrote the entries' files; "" = none, or not named
    void addEntryJson(std::string& out, size_t entry, bool asAscii) const;
    friend std::string jsonFromLedger(const Ledger& ledger);
    friend std::string ledgerEntriesLine(const Ledger& ledger);
    friend Result<Ledger> ledgerFromJson(std::string_view text);
};

// {"lockstep_ledger": 1, "entries": [...]}, an entry a line. corrupt.
std::string jsonFromLedger(const Ledger& ledger);
// The list alone, on one line in ASCII.
std::string ledgerEntriesLine(const Ledger& ledger);
Result<Ledger> ledgerFromJson(std::string_view text);
// A sentence about the reports that several hosts see; empty where there are none.
std::string sharedText(const Ledger& ledger);
// A table for people: role, rank, steps, host, state, size, path or reason.
std::string ledgerText(const Ledger& ledger);

} // namespace lockstep
