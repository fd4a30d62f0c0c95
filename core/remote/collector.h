// Collector: brings the reports of a run here and proves them: fetched in parts that resume, compared by
// sha256, opened and counted. Fills the run's ledger as it goes. Works on an ended run, or on what is
// complete so far.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <QObject>

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
    friend class CollectedFile;
    Run& m_run;
    CollectOptions m_options;
    CollectProgress m_progress;
};

} // namespace lockstep
