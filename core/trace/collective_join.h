// SPDX-License-Identifier: Apache-2.0
// Moves the description of a collective from a host range (an NVTX payload of NCCL) to the GPU kernel that
// the range launched. Used by ReportFreezer once slices and links are complete.
#pragma once

#include "core/trace/report.h"

namespace lockstep {

// Joins the host ranges of collectives with GPU kernels. A GPU kernel belongs to the range in which its
// thread launched it. The GPU kernels of calls between ncclGroupStart and ncclGroupEnd are launched in
// ncclGroupEnd. If all calls of such a group use one communicator, they become one description (amounts add
// up, differing values are dropped). The description applies to each GPU kernel of the group, because the
// file does not record which GPU kernel serves which call. A send to and a receive from every rank of the
// communicator become an all-to-all; other sends and receives stay point-to-point. The name of the GPU kernel
// provides values that the range lacks. Descriptions without a GPU kernel stay with their range. Afterwards
// report.collectives is sorted and has at most one row per slice.
void joinCollectives(Report& report);

} // namespace lockstep
