// SPDX-License-Identifier: Apache-2.0
// BackgroundWork: what an object has done on threads beside its own, since a file system may be slow or not
// answer at all. It never waits, not even when it goes: then what runs is asked to stop and ends by itself,
// its answers are dropped, and what has not begun is not done. Made, used and deleted in one thread with an
// event loop.
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

    // work(stop) runs beside, begun in the order of these calls; then(its answer) is called from the event
    // loop of this, unless this is gone by then. What work refers to has to outlive it: it holds it by value.
    template<class Work, class Then>
    void start(Work work, Then then)
    {
        run([work = std::move(work), then = std::move(then), mail = m_mail](const std::stop_token& stop) {
            post(mail, [then, answer = work(stop)] { then(answer); });
        });
    }

    // Work still runs whose owner is gone: a program that ends now has to do so without its usual way out.
    static bool isAnyLeft();

  private:
    struct Mail;

    void run(std::function<void(const std::stop_token&)> work);
    static void post(const std::shared_ptr<Mail>& mail, std::function<void()> answer);

    std::shared_ptr<Mail> m_mail;
};

} // namespace lockstep
