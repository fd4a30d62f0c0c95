// SPDX-License-Identifier: Apache-2.0
// Tests that each name gets one object, whichever thread registers it first.
#include "capture/inject/name_registry.h"

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/test_registry.h"

using namespace lockstep::capture;

class NameRegistryTest : public QObject {
    Q_OBJECT

  private slots:
    void oneDomainPerName()
    {
        constexpr size_t kThreads = 2, kNames = 1000;
        std::array<std::vector<const Domain*>, kThreads> made;
        std::array<std::atomic<size_t>, kNames> ready = {};
        {
            std::vector<std::jthread> threads;
            for (size_t thread = 0; thread < kThreads; ++thread) {
                threads.emplace_back([&, thread] {
                    for (size_t name = 0; name < kNames; ++name) {
                        const std::string text = "domain " + std::to_string(name);
                        ++ready[name];
                        while (ready[name] < kThreads) // start all threads at the same time
                            std::this_thread::yield();
                        made[thread].push_back(domainNamed(text));
                    }
                });
            }
        }
        for (size_t name = 0; name < kNames; ++name) {
            QVERIFY(made[0][name] != nullptr);
            QVERIFY(made[0][name]->view() == "domain " + std::to_string(name));
            for (size_t thread = 1; thread < kThreads; ++thread)
                QCOMPARE(made[thread][name], made[0][name]);
        }
        QCOMPARE(nameRegistry().refused.load(), uint64_t(0));
    }

    void namesWithoutRoomAreCounted()
    {
        const uint64_t before = nameRegistry().refused;
        QVERIFY(domainNamed(std::string(NameRegistry::kLimit_bytes, 'x')) == nullptr);
        QCOMPARE(nameRegistry().refused.load(), before + 1);
        QVERIFY(domainNamed("domain 0") != nullptr);
    }
};

LOCKSTEP_TEST(NameRegistryTest, "name_registry_test")
#include "name_registry_test.moc"
