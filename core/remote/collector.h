// SPDX-License-Identifier: Apache-2.0
// Collector: brings the reports of a run here and proves them: fetched in parts that resume, compared by
// sha256, opened and counted. Fills the run's ledger as it goes. Works on an ended run, or on what is
// complete so far. Where a file is put is CollectionFolder's to say: a host's list is not trusted. Whatever
// touches a disk is done beside the thread that this lives in, and nothing waits for it: deleting a collector
// leaves behind what a dead disk holds up.
#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <QObject>

#include "core/remote/background_work.h"
#include "core/remote/collection_folder.h"
#include "core/remote/run.h"
#include "core/remote/seen_files.h"

namespace lockstep {

enum class CollectMode : uint8_t {
    whole,  // the files as they are
    reduced // the nodes turn them into packed columns first; raw files stay there
};

struct CollectOptions {
    std::filesystem::path folder; // files land in FOLDER/HOST/PATH-ON-THE-HOST
    CollectMode mode = CollectMode::whole;
    std::optional<std::set<size_t>> chosen; // entries of the ledger; empty: all that can be had
    size_t parallelFiles = 4;               // over all hosts
    int triesPerFile = 5;                   // each resumes where the last one stopped
};

struct CollectProgress {
    size_t files = 0, filesDone = 0;
    int64_t bytes = 0, bytesDone = 0; // bytes over the link
};

class Collector : public QObject {
    Q_OBJECT

  public:
    Collector(Run& run, CollectOptions options, QObject* parent = nullptr);

    // Lists every host, fetches, verifies. finished() follows, also after cancel().
    void begin();
    void cancel();
    const CollectProgress& progress() const { return m_progress; }
    // What went wrong beside the files of the ledger, for people.
    const std::vector<std::string>& notes() const { return m_notes; }

  signals:
    void progressChanged();
    // A file is here and its entry of the ledger is fetched, verified or missing with the reason.
    void fileDone(size_t entry);
    void finished();

  private:
    // A file that a host listed. Its entry is asked for by name: content moves files between entries.
    struct Waiting {
        size_t host;
        ListedReport file;
    };
    // Where it is written while it comes, and where it goes then.
    struct Places {
        std::filesystem::path part, place, ownFile;
    };

    void listHost(size_t host, int tries);
    AgentClient* clientOf(size_t host) const;
    // here: places of files that are there still.
    void takeList(size_t host, const std::vector<ListedReport>& reports, const std::set<std::string>& here);
    void tellUnlisted(size_t host, const Error& error);
    void noteUnlisted(size_t host, const std::set<std::string>& listed);
    void next();
    size_t entryOf(const Waiting& waiting) const;
    void fetch(const Waiting& waiting, const ListedReport& file, bool isReduced);
    void fetchTo(const Places& places, const Waiting& waiting, const ListedReport& file, bool isReduced);
    void settle(const Waiting& waiting, const Places& places, bool isReduced);
    void prove(const Waiting& waiting, const std::filesystem::path& path);
    bool isOfAnotherRun(size_t host, const ContentProof& proof) const;
    void giveUp(const Waiting& waiting, const Error& error);
    void done(size_t entry);
    bool isWanted(const LedgerEntry& entry) const;
    // The session's name of a host that calls itself so; what is not known stays.
    std::string sessionName(const std::string& node) const;
    // Once something is fetched; used by several at once.
    struct SharedFolder;

    Run& m_run;
    CollectOptions m_options;
    CollectProgress m_progress;
    std::shared_ptr<SharedFolder> m_folder;
    std::map<std::filesystem::path, std::pair<std::string, std::string>> m_taken; // place: host, path there
    std::optional<std::set<std::pair<std::string, std::string>>> m_chosen; // host and path of those chosen
    SeenFiles m_listed;                                                    // by digest
    std::map<size_t, std::string> m_nodes;                                 // what the hosts call themselves
    std::set<size_t> m_viaLogin; // nodes of a Slurm job that is over
    std::vector<std::string> m_notes;
    std::deque<Waiting> m_queue;
    size_t m_listing = 0;
    size_t m_active = 0;
    bool m_isOver = false;
    BackgroundWork m_files;  // placed, written, compared
    BackgroundWork m_proofs; // each takes a report's memory
};

} // namespace lockstep
