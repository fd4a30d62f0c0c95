// SPDX-License-Identifier: Apache-2.0
#include "capture/demo/training.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <thread>

#include "capture/demo/gpu_work.h"
#include "capture/demo/meeting.h"
#include "capture/demo/nvtx_client.h"
#include "capture/include/lockstep_capture.h"

namespace lockstep::demo {

namespace {

using Clock = std::chrono::steady_clock;

class Range {
  public:
    explicit Range(const char* name) { client::push(name); }
    ~Range() { client::pop(); }
    Range(const Range&) = delete;
    Range& operator=(const Range&) = delete;
};

class Training {
  public:
    explicit Training(const TrainingRank& place)
        : m_place(place), m_random(place.rank + 1), m_gpu(place.localRank),
          m_meeting(place.meeting, place.rank)
    {
    }

    int run()
    {
        client::nameThread(static_cast<uint32_t>(::gettid()), "training");
        if (m_gpu.isThere())
            std::printf("rank %u computes on CUDA %s\n", m_place.rank, m_gpu.text().c_str());
        else
            std::printf("rank %u computes on the CPU: %s\n", m_place.rank, m_gpu.text().c_str());
        std::fflush(stdout);
        for (int step = 1; step <= kSteps && m_meeting.problem().empty(); ++step) {
            if (step == kSteps) waitWhileHeld();
            lockstep_capture_step(step);
            rollOut();
            judge();
            updateCritic();
            updateActor();
            tell(step);
        }
        lockstep_capture_step(-1);
        if (m_meeting.problem().empty()) return 0;
        std::fprintf(stderr, "rank %u: %s\n", m_place.rank, m_meeting.problem().c_str());
        return 1;
    }

  private:
    // Each of the four paths ends once a rank has exited.
    bool continues() const { return m_meeting.problem().empty(); }

    // Waits while a test holds the run, for tests that act in the middle of the run.
    static void waitWhileHeld()
    {
        const char* const file = std::getenv("LOCKSTEP_DEMO_HOLD");
        while (file != nullptr && ::access(file, F_OK) == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }

    void rollOut()
    {
        const LockstepStage stage("rollout", "rollout_generate");
        for (int token = 0; token < 8 && continues(); ++token) {
            const Range range("decode");
            compute(40);
        }
        std::vector<float> sequences(4'096, 1.0f / static_cast<float>(m_place.rank + 1));
        meet(Operation::allGather, sequences);
    }

    void judge()
    {
        const auto stage = [this](const char* role, const char* name, int milliseconds) {
            if (!continues()) return;
            const LockstepStage range(role, name);
            const Range forward("forward");
            compute(milliseconds);
        };
        stage("reward", "compute_rm_score", 60);
        stage("ref", "ref_compute_log_prob", 90);
        stage("actor", "actor_compute_log_prob", 80);
        stage("critic", "critic_compute_values", 70);
        std::vector<float> advantages(1'024, 0.25f);
        meet(Operation::allReduce, advantages);
    }

    void updateCritic()
    {
        const LockstepStage stage("critic", "critic_update");
        for (int batch = 0; batch < 2 && continues(); ++batch)
            trainBatch(batch, 20, 30, 1);
    }

    void updateActor()
    {
        {
            const LockstepStage stage("actor", "actor_update");
            for (int batch = 0; batch < 3 && continues(); ++batch)
                trainBatch(batch, 40, 50, 2);
        }
        const LockstepStage stage("rollout", "update_weights");
        std::vector<float> weights(65'536, m_loss);
        m_gpu.copy(weights);
        meet(Operation::broadcast, weights);
    }

    void trainBatch(int batch, int forward_ms, int backward_ms, int buckets)
    {
        const Range range(("mini_batch" + std::to_string(batch)).c_str());
        {
            const Range forward("forward");
            compute(forward_ms);
        }
        {
            const Range backward("backward");
            compute(backward_ms);
            std::vector<float> gradients(65'536, m_loss);
            for (int bucket = 0; bucket < buckets; ++bucket)
                meet(Operation::allReduce, gradients);
        }
        const Range optimizer("optimizer");
        compute(10);
    }

    // Annotates the collective itself, from the arrival of this rank until all ranks have arrived.
    void meet(Operation operation, std::vector<float>& values)
    {
        if (!continues()) return;
        const lockstep_capture_range range =
            lockstep_capture_collective(nameOf(operation), "world", m_place.ranks, m_place.rank,
                                        m_meeting.operations(), values.size() * sizeof(float));
        m_meeting.take(operation, values);
        lockstep_capture_end(range);
    }

    // Works for this time, plus or minus 10 %. Without a GPU, the thread computes a little and then sleeps
    // for the rest, as if it waited for a device, so that four ranks fit on two CPU cores.
    void compute(int milliseconds)
    {
        const double own = m_place.rank == kStraggler ? kStragglerPercent / 100.0 : 1;
        const double jitter = std::uniform_real_distribution<double>(0.9, 1.1)(m_random);
        const auto length =
            std::chrono::microseconds(static_cast<int64_t>(milliseconds * own * jitter * 1000));
        const auto until = Clock::now() + length;
        const bool wasThere = m_gpu.isThere();
        m_gpu.compute(static_cast<int>(length.count() / 1000));
        if (wasThere && !m_gpu.isThere())
            std::fprintf(stderr, "rank %u continues on the CPU: %s\n", m_place.rank, m_gpu.text().c_str());
        while (Clock::now() < until) {
            multiply();
            std::this_thread::sleep_until(std::min(until, Clock::now() + std::chrono::milliseconds(4)));
        }
    }

    void multiply()
    {
        constexpr size_t kSide = 48;
        static float a[kSide][kSide], b[kSide][kSide];
        for (size_t row = 0; row < kSide; ++row) {
            for (size_t column = 0; column < kSide; ++column) {
                float sum = 0;
                for (size_t i = 0; i < kSide; ++i)
                    sum += a[row][i] * b[i][column];
                a[row][column] = 0.25f + sum / (2 * kSide);
                b[column][row] = 0.125f + sum / (2 * kSide);
            }
        }
        m_loss += (a[1][2] - m_loss) / 256; // smoothed
    }

    void tell(int step)
    {
        if (!continues()) return;
        lockstep_capture_counter("loss", static_cast<double>(m_loss), "nats");
        lockstep_capture_counter("reward", 1 - 1.0 / (step + 1), "");
        if (m_place.rank != 0) return;
        std::printf("step:%d - actor/loss:%.3f - critic/score/mean:%.3f\n", step, static_cast<double>(m_loss),
                    1 - 1.0 / (step + 1));
        std::fflush(stdout);
    }

    const TrainingRank m_place;
    std::mt19937 m_random;
    GpuWork m_gpu;
    Meeting m_meeting;
    float m_loss = 2;
};

} // namespace

int train(const TrainingRank& place)
{
    std::optional<Hub> hub; // destroyed last, when all ranks have left
    if (place.rank == 0) {
        hub.emplace(place.meeting, place.ranks);
        if (!hub->problem().empty()) {
            std::fprintf(stderr, "rank 0: %s\n", hub->problem().c_str());
            return 1;
        }
    }
    return Training(place).run();
}

} // namespace lockstep::demo
