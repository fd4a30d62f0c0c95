// SPDX-License-Identifier: Apache-2.0
#include "core/base/workers.h"

#include <algorithm>
#include <thread>

namespace lockstep {

Workers::Workers(std::shared_ptr<TaskPool> pool) : m_pool(std::move(pool)), m_count(m_pool->threads() + 1) {}

Workers Workers::ofMachine(size_t most)
{
    const size_t cores = std::max<size_t>(1, std::thread::hardware_concurrency());
    const size_t count = most > 0 ? std::min(most, cores) : cores;
    return count > 1 ? Workers(std::make_shared<TaskPool>(count - 1)) : Workers();
}

Workers Workers::limitedTo(size_t most) const
{
    Workers some = *this;
    some.m_count = std::clamp<size_t>(most, 1, m_count);
    return some;
}

void Workers::run(size_t count, const TaskPool::Body& body) const
{
    if (m_pool) return m_pool->run(count, m_count, body);
    for (size_t index = 0; index < count; ++index)
        body(index, 0);
}

} // namespace lockstep
