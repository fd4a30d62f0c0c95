// SPDX-License-Identifier: Apache-2.0
// Tests that the right edge of a live view moves evenly while data arrives in batches.
#include "app/window/live_glide.h"

#include <algorithm>
#include <random>

#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kFrame_ns = 16'666'667;

} // namespace

class LiveGlideTest : public QObject {
    Q_OBJECT

  private slots:
    // A batch every 200 to 500 ms; a frame every 16.7 ms.
    void movesEvenly()
    {
        std::mt19937 random(7);
        LiveGlide glide;
        int64_t nextBatch_ns = 0, newest_ns = 0;
        TraceTime last{0};
        int64_t most_ns = 0, least_ns = kFrame_ns, lagSum_ns = 0;
        int frames = 0;
        for (int64_t now_ns = 0; now_ns < 30'000 * kMs; now_ns += kFrame_ns) {
            if (now_ns >= nextBatch_ns) {
                newest_ns = now_ns;
                glide.setNewest({newest_ns}, {now_ns});
                nextBatch_ns = now_ns + (200 + static_cast<int64_t>(random() % 300)) * kMs;
            }
            const TraceTime edge = glide.edgeAt({now_ns});
            QVERIFY(edge.ns <= newest_ns);
            QVERIFY(edge >= last);
            if (now_ns > 5'000 * kMs) { // the latency has adapted
                ++frames;
                most_ns = std::max(most_ns, (edge - last).ns);
                least_ns = std::min(least_ns, (edge - last).ns);
                lagSum_ns += now_ns - edge.ns;
            }
            last = edge;
        }
        QVERIFY2(most_ns <= kFrame_ns * 3 / 2, std::to_string(most_ns).c_str());
        QVERIFY2(least_ns >= kFrame_ns / 2, std::to_string(least_ns).c_str());
        QVERIFY2(lagSum_ns / frames < 800 * kMs, std::to_string(lagSum_ns / frames).c_str());
    }

    // Without new data the edge stops at the newest time, and catches up once data arrives.
    void stopsAtTheNewestData()
    {
        LiveGlide glide;
        glide.setNewest({0}, {0});
        glide.setNewest({300 * kMs}, {300 * kMs});
        QCOMPARE(glide.edgeAt({5'000 * kMs}).ns, 300 * kMs);
        glide.setNewest({20'000 * kMs}, {20'000 * kMs});
        glide.edgeAt({20'000 * kMs}); // far behind: jumps
        QVERIFY(glide.edgeAt({20'016 * kMs}).ns >= 20'000 * kMs - glide.latency().ns);
        glide.setNewest({1'000 * kMs}, {20'100 * kMs}); // another axis
        QCOMPARE(glide.edgeAt({20'100 * kMs}).ns, 1'000 * kMs);
    }
};

LOCKSTEP_TEST(LiveGlideTest, "live_glide_test")
#include "live_glide_test.moc"
