// SPDX-License-Identifier: Apache-2.0
// Interprets the OTLP spans of inference servers and frameworks: vLLM, SGLang, ROLL, Megatron-LM. Spans of
// other programs become spans of their process. Pure functions of the spans; one thread.
#pragma once

#include "core/readers/samples/otlp_spans.h"
#include "core/readers/samples/sample_rows.h"

namespace lockstep {

// Adds all spans to `rows`, each exactly once, with their samples, requests and weight updates.
void interpretOtlp(const OtlpSpans& spans, SampleRows& rows);

} // namespace lockstep
