// SPDX-License-Identifier: Apache-2.0
// Classifies rows of Ascend's trace_view.json. They are classified by arguments and names instead of a
// category: tasks of the NPU's streams ("Task Type"), communications of HCCL (hcom_allReduce__868_0_1), calls
// into CANN ("level"). Field names follow the exports of torch_npu and msprof. Pure functions, any thread.
#pragma once

#include <optional>

#include "core/base/string_pool.h"
#include "core/readers/chrome_json/event_category.h"
#include "core/readers/chrome_json/raw_event.h"
#include "core/trace/collective_op.h"

namespace lockstep {

// Returns the class of a row that Ascend's profiler wrote; nullopt for all other rows.
std::optional<EventClass> ascendClass(const RawEvent& event);

// Returns the NPU number, computed from the process ID. The export numbers processes as host pid * 1024 +
// layer * 32 + device.
int64_t ascendDevice(const RawEvent& event);

// Returns the operation, from the name hcom_OP__GROUP_INDEX_... and the arguments of a communication. Strings
// are stored as IDs of `strings`.
CollectiveOp ascendCollective(const RawEvent& event, StringPool& strings);
// Returns the operation from the name only. Also accepts names in ascend_pytorch_profiler_<k>.db.
CollectiveOp hcclCollective(std::string_view name, StringPool& strings);

// Returns the size in bytes of one element of an HCCL data type ("FP32", "BFP16", "INT8"); 0 if the type is
// unknown.
uint64_t hcclElementBytes(std::string_view dataType);

// Returns the class of a task type ("AI_CORE", "EVENT_WAIT_SQE", "SDMA"); `name` distinguishes copies.
EventClass ascendTaskClass(std::string_view taskType, std::string_view name);

} // namespace lockstep
