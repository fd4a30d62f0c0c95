// Collector: brings the reports of a run here and proves them: fetched in parts that resume, compared by
// sha256, opened and counted. Fills the run's ledger as it goes. Works on an ended run, or on what is
// complete so far.
#pragma once

#include <deque>
#include <filesystem>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include <QObject>
#include <QThreadPool>

#include "core/remote/run.h"

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
    ~Collector() override;

    // Lists every host, fetches, verifies. finished() follows, also after cancel().
    void begin();
    void cancel();
    const CollectProgress& progress() const { return m_progress; }

  signals:
    void progressChanged();
    // A file is here and its entry of the ledger is fetched, verified or missing with the reason.
    void fileDone(size_t entry);
    void finished();

  private:
    void listHost(size_t host, int tries);
    void takeList(size_t host, const std::vector<ListedReport>& reports);
    void tellUnlisted(size_t host, const Error& error);
    void next();
    void fetch(size_t entry, const ListedReport& file, bool isReduced);
    void fetched(size_t entry, const std::filesystem::path& target, bool isReduced, const Error& error);
    void prove(size_t entry, const std::filesystem::path& path);
    void done(size_t entry);
    bool isWanted(size_t entry) const;

    struct Waiting {
        size_t host;
        size_t entry;
        ListedReport file;
    };

    Run& m_run;
    CollectOptions m_options;
    CollectProgress m_progress;
    std::deque<Waiting> m_queue;
    size_t m_listing = 0;
    size_t m_active = 0;
    bool m_isOver = false;
    std::stop_source m_stop;
    QThreadPool m_pool; // digests and proofs
};

} // namespace lockstep
