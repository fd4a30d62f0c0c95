// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/process_page.h"

#include <pthread.h>
#include <sys/mman.h>

#include <new>

namespace lockstep::capture {

namespace {

std::atomic<ProcessPage*> g_page{nullptr};

void wipeInChild()
{
    new (g_page.load()) ProcessPage;
}

ProcessPage* madePage() noexcept
{
    static constinit ProcessPage spare;
    void* const memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ProcessPage* const page = memory != MAP_FAILED ? new (memory) ProcessPage : &spare;
    ProcessPage* none = nullptr;
    if (!g_page.compare_exchange_strong(none, page)) {
        if (page != &spare) munmap(memory, 4096);
        return none;
    }
    const bool isWiped = page != &spare && madvise(memory, 4096, MADV_WIPEONFORK) == 0;
    if (!isWiped) pthread_atfork(nullptr, nullptr, wipeInChild); // Linux kernels before 4.14
    return page;
}

} // namespace

ProcessPage& processPage() noexcept
{
    ProcessPage* const page = g_page.load(std::memory_order_acquire);
    return page != nullptr ? *page : *madePage();
}

} // namespace lockstep::capture
