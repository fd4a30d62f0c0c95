// SPDX-License-Identifier: Apache-2.0
// Collector fetches the reports of a run and verifies them. Transfers resume after interruptions, and files
// are compared by sha256, opened, and their rows counted. It updates the run's ledger. It works on an ended
// run, or on the reports that are complete so far. CollectionFolder determines where files are stored,
// because a host's list is not trusted. All disk access runs on other threads and never blocks this thread.
// Deleting a collector abandons tasks that hang on an unresponsive disk.
#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <QObject>

#include "core/base/progress.h"
#include "core/remote/background_work.h"
#include "core/remote/collection_folder.h"
#include "core/remote/ledger.h"
#include "core/remote/run.h"
#include "core/remote/seen_files.h"

namespace lockstep {

enum class CollectMode : uint8_t {
    whole,  // the unchanged files
    reduced // the nodes first convert the files to packed columns; raw files stay on the nodes
};

struct CollectOptions {
    std::filesystem::path folder; // files are stored in FOLDER/HOST/PATH-ON-THE-HOST
    CollectMode mode = CollectMode::whole;
    std::optional<std::set<size_t>> chosen; // indexes of ledger entries; nullopt = all available entries
    size_t parallelFiles = 4;               // total over all hosts
    int triesPerFile = 5;                   // each attempt resumes where the previous one stopped
};

struct CollectProgress {
    size_t files = 0, filesDone = 0;
    int64_t bytes = 0, bytesDone = 0; // bytes transferred over the link
};

class Collector : public QObject {
    Q_OBJECT

  public:
    Collector(Run& run, CollectOptions options, QObject* parent = nullptr);

    // Lists the reports of every host, then fetches and verifies them. finished() follows, also after
    // cancel().
    void begin();
    void cancel();
    const CollectProgress& progress() const { return m_progress; }
    // Messages about problems that are not in the ledger.
    const std::vector<std::string>& notes() const { return m_notes; }

  signals:
    void progressChanged();
    // A file was handled: its ledger entry is now fetched, verified, or missing with the reason.
    void fileDone(size_t entry);
    void finished();

  private:
    // A file listed by a host. Its ledger entry is looked up by name, because files may move between entries
    // once their content is known.
    struct Waiting {
        size_t host;
        ListedReport file;
    };
    // Paths of the part file, of the final place, and of the file that this run wrote there before.
    struct Places {
        std::filesystem::path part, place, ownFile;
    };

    void listHost(size_t host, int tries);
    AgentClient* clientOf(size_t host) const;
    // `here` contains the collected files that still exist.
    void applyList(size_t host, const std::vector<ListedReport>& reports, const std::set<std::string>& here);
    void noteListError(size_t host, const Error& error);
    void noteUnlisted(size_t host, const std::set<std::string>& listed);
    void next();
    size_t entryOf(const Waiting& waiting) const;
    void fetch(const Waiting& waiting, const ListedReport& file, bool isReduced);
    void fetchTo(const Places& places, const Waiting& waiting, const ListedReport& file, bool isReduced);
    void moveIntoPlace(const Waiting& waiting, const Places& places, bool isReduced);
    void verify(const Waiting& waiting, const std::filesystem::path& path);
    bool isOfAnotherRun(size_t host, const ContentCheck& check) const;
    void giveUp(const Waiting& waiting, const Error& error);
    void done(size_t entry);
    bool isSelected(const LedgerEntry& entry) const;
    // Returns the session's name for a host's own name; unknown names are returned unchanged.
    std::string sessionName(const std::string& node) const;
    // Opened on first use; shared by several tasks.
    struct SharedFolder;

    Run& m_run;
    CollectOptions m_options;
    CollectProgress m_progress;
    std::shared_ptr<SharedFolder> m_folder;
    // For each local place: the host, and the path on that host.
    std::map<std::filesystem::path, std::pair<std::string, std::string>> m_sources;
    // Host and path of the selected files.
    std::optional<std::set<std::pair<std::string, std::string>>> m_chosen;
    SeenFiles m_listed;                    // keyed by digest
    std::map<size_t, std::string> m_nodes; // the names that the hosts themselves use
    std::set<size_t> m_viaLogin;           // nodes of an ended Slurm job, read through the login node
    std::vector<std::string> m_notes;
    std::deque<Waiting> m_queue;
    size_t m_listing = 0;
    size_t m_active = 0;
    bool m_isOver = false;
    BackgroundWork m_files;         // tasks that place, write and compare files
    BackgroundWork m_verifications; // tasks that open reports; each needs the memory of one report
};

// Verifies a fetched report by its content: the report can be opened, has its tables and contains rows. Any
// thread; takes as long as opening the report. Never fails, because problems are stored in the proof. If
// canceled, the problem is "canceled".
ContentCheck verifyContent(const std::filesystem::path& path, const Progress& progress);

} // namespace lockstep
