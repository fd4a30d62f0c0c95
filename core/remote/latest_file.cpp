// SPDX-License-Identifier: Apache-2.0
#include "core/remote/latest_file.h"

#include <mutex>
#include <utility>

#include "core/remote/run_record.h"

namespace lockstep {

// Shared state; outlives the owner while a write is running.
struct LatestFile::Shared {
    std::filesystem::path path;
    mutable std::mutex mutex;
    uint64_t written = 0; // sequence number of the content in the file

    Status write(uint64_t number, const std::function<std::string()>& text)
    {
        const std::scoped_lock lock(mutex);
        if (number <= written) return {}; // the file already has newer content
        written = number;
        return replaceFile(path, text());
    }
};

LatestFile::LatestFile(std::filesystem::path path) : m_shared(std::make_shared<Shared>())
{
    m_shared->path = std::move(path);
}

void LatestFile::save(std::function<std::string()> text, std::function<void(const Status&)> done)
{
    m_work.start([shared = m_shared, number = ++m_newest,
                  text = std::move(text)](const std::stop_token&) { return shared->write(number, text); },
                 [done = std::move(done)](const Status& status) {
                     if (done) done(status);
                 });
}

Status LatestFile::saveNow(std::string_view text)
{
    return m_shared->write(++m_newest, [text] { return std::string(text); });
}

bool LatestFile::isWritten() const
{
    const std::scoped_lock lock(m_shared->mutex);
    return m_shared->written == m_newest;
}

} // namespace lockstep
