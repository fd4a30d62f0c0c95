// SPDX-License-Identifier: Apache-2.0
// BackgroundWork runs tasks of an object on other threads, because a file system may be slow or may not
// respond at all. It never blocks, not even in its destructor: running tasks are requested to stop, their
// answers are dropped, and tasks that have not begun are skipped. Created, used and deleted on one thread
// with an event loop.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <utility>

namespace lockstep {

class BackgroundWork {
  public:
    explicit BackgroundWork(int threads);
    BackgroundWork(const BackgroundWork&) = delete;
    BackgroundWork& operator=(const BackgroundWork&) = delete;
    ~BackgroundWork();

    // Runs work(stop) on another thread; tasks begin in the order of the calls. Afterwards calls then(answer)
    // from the event loop of this object's thread, unless the object was deleted. work must hold its data by
    // value, because it may outlive this object.
    template<class Work, class Then>
    void start(Work work, Then then)
    {
        run([work = std::move(work), then = std::move(then),
             mailbox = m_mailbox](const std::stop_token& stop) {
            post(mailbox, [then, answer = work(stop)] { then(answer); });
        });
    }

    // Returns whether a task is still running after its owner was deleted. If so, the program must exit
    // without waiting for threads.
    static bool hasOrphans();

  private:
    struct Mailbox;

    void run(std::function<void(const std::stop_token&)> work);
    static void post(const std::shared_ptr<Mailbox>& mailbox, std::function<void()> answer);

    std::shared_ptr<Mailbox> m_mailbox;
};

} // namespace lockstep
