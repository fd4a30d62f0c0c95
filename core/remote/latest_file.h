// SPDX-License-Identifier: Apache-2.0
// LatestFile: a file of a run that is written whole whenever what it holds has changed, on a thread beside:
// a disk may be slow, and writing waits until it has the bytes. In whatever order writes end, the newest
// stays. Made, used and deleted in one thread with an event loop.
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

    // text() is called beside; told() from the event loop with what came of it, unless this is gone by then.
    void save(std::function<std::string()> text, std::function<void(const Status&)> told = {});
    // Here and now, behind a write that is under way; what was to be written before it is not any more.
    Status saveNow(std::string_view text);
    // False while something is yet to be written: lost when this goes.
    bool isSettled() const;

  private:
    struct Shared;

    std::shared_ptr<Shared> m_shared;
    uint64_t m_newest = 0; // number of the last content
    BackgroundWork m_work{1};
};

} // namespace lockstep
