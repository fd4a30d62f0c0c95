// SPDX-License-Identifier: Apache-2.0
// What the names of spans mean in OTLP records of frameworks and servers. Pure. Thread: any.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "core/trace/sample_tables.h"

namespace lockstep {

struct OtlpName {
    std::string_view name;
    SpanKind kind;
};

// Stages of a request: sglang srt/observability/req_time_stats.py, class RequestStage. Other stages, such as
// tokenize, are not work of the engine.
inline constexpr std::array kRequestStages{
    OtlpName{"prefill_waiting", SpanKind::queue},
    OtlpName{"decode_waiting", SpanKind::queue},
    OtlpName{"prefill_forward", SpanKind::prefill},
    OtlpName{"chunked_prefill", SpanKind::prefill},
    OtlpName{"decode_forward", SpanKind::decode},
    OtlpName{"decode_loop", SpanKind::decode},
    OtlpName{"prefill_bootstrap", SpanKind::kvTransfer},
    OtlpName{"decode_bootstrap", SpanKind::kvTransfer},
    OtlpName{"prefill_prepare", SpanKind::kvTransfer},
    OtlpName{"decode_prepare", SpanKind::kvTransfer},
    OtlpName{"prefill_transfer_kv_cache", SpanKind::kvTransfer},
    OtlpName{"decode_transferred", SpanKind::kvTransfer},
    // Parts of a sample of ROLL.
    OtlpName{"rollout.generate", SpanKind::generate},
    OtlpName{"rollout.compute_rewards", SpanKind::reward},
};

// Spans of a pipeline, of its samples, and of training: ROLL roll/pipeline/agentic/agentic_pipeline.py,
// roll/pipeline/rlvr/rlvr_pipeline.py, roll/distributed/scheduler/generate_scheduler.py and
// roll/pipeline/agentic/env_manager/traj_env_manager.py; Megatron-LM megatron/training/training.py.
inline constexpr std::array kProcessSpanNames{
    OtlpName{"pipeline_step", SpanKind::phase},
    OtlpName{"model_update", SpanKind::weightUpdate},
    OtlpName{"stop_server", SpanKind::weightPause},
    OtlpName{"generate", SpanKind::phase},
    OtlpName{"rollout", SpanKind::phase},
    OtlpName{"train", SpanKind::phase},
    OtlpName{"validation", SpanKind::phase},
    OtlpName{"ref_log_probs", SpanKind::phase},
    OtlpName{"cal_ref_log_probs", SpanKind::phase},
    OtlpName{"old_log_probs_and_values", SpanKind::phase},
    OtlpName{"cal_old_log_probs_values", SpanKind::phase},
    OtlpName{"reward_postprocess", SpanKind::phase},
    OtlpName{"compute_token_reward", SpanKind::phase},
    OtlpName{"compute_advantage", SpanKind::phase},
    OtlpName{"rollout.compute_rewards", SpanKind::reward},
    OtlpName{"megatron.train.iteration", SpanKind::phase},
};

// For a part of a sample or request; `other` for unknown names.
inline SpanKind stageKindOf(std::string_view name)
{
    const auto found = std::ranges::find(kRequestStages, name, &OtlpName::name);
    return found != kRequestStages.end() ? found->kind : SpanKind::other;
}

// For a span of a process; `other` for unknown names.
inline SpanKind processKindOf(std::string_view name)
{
    const auto found = std::ranges::find(kProcessSpanNames, name, &OtlpName::name);
    return found != kProcessSpanNames.end() ? found->kind : SpanKind::other;
}

} // namespace lockstep
