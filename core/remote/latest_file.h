// SPDX-License-Identifier: Apache-2.0
// LatestFile is a file that is rewritten completely on another thread whenever its content changes, because a
// disk may be slow. The newest content is kept, regardless of the order in which the writes finish. Created,
// used and deleted on one thread with an event loop.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/remote/background_work.h"

namespace lockstep {

class LatestFile {
  public:
    explicit LatestFile(std::filesystem::path path);

    // Calls text() on another thread and writes the result, then calls done() with the status from the event
    // loop, unless this object was deleted.
    void save(std::function<std::string()> text, std::function<void(const Status&)> done = {});
    // Writes synchronously on this thread, after any write in progress. Pending older writes are skipped.
    Status saveNow(std::string_view text);
    // Returns false while a write is pending. Pending content is lost if this object is deleted.
    bool isWritten() const;

  private:
    struct Shared;

    std::shared_ptr<Shared> m_shared;
    uint64_t m_newest = 0; // sequence number of the newest content
    BackgroundWork m_work{1};
};

} // namespace lockstep
