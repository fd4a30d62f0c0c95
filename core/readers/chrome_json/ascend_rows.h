// SPDX-License-Identifier: Apache-2.0
// Rows of Ascend's trace_view.json, which say what they are by their arguments and names, not by a category:
// tasks of the NPU's streams ("Task Type"), communications of HCCL (hcom_allReduce__868_0_1), calls into CANN
// ("level"). Field names as torch_npu's and msprof's exports write them. Pure functions, any thread.
#pragma once

#include <optional>

#include "core/base/string_pool.h"
#include "core/readers/chrome_json/event_category.h"
#include "core/readers/chrome_json/raw_event.h"
#include "core/trace/collective_op.h"

namespace lockstep {

// The class of a row that Ascend's profiler wrote; empty for all others.
std::optional<EventClass> ascendClass(const RawEvent& event);

// The NPU's number: the export numbers its processes host pid * 1024 + layer * 32 + device.
int64_t ascendDevice(const RawEvent& event);

// What the name hcom_OP__GROUP_INDEX_... and the arguments of a communication say. Texts are ids of
// `strings`.
CollectiveOp ascendCollective(const RawEvent& event, StringPool& strings);
// The same from the name alone; also the names in ascend_pytorch_profiler_<k>.db.
CollectiveOp hcclCollective(std::string_view name, StringPool& strings);

// Bytes of one element by HCCL's name of the type ("FP32", "BFP16", "INT8"); 0 where it is not known.
uint64_t hcclElementBytes(std::string_view dataType);

// What a task of this type is ("AI_CORE", "EVENT_WAIT_SQE", "SDMA"); name tells copies from the rest.
EventClass ascendTaskClass(std::string_view taskType, std::string_view name);

} // namespace lockstep
