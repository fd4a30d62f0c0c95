// SPDX-License-Identifier: Apache-2.0
// Moves what a host range says of a collective (an NVTX payload of NCCL) to the kernel that it became. Used
// by ReportFreezer, once slices and links are in place.
#pragma once

#include "core/trace/report.h"

namespace lockstep {

// A kernel belongs to the range in which its thread launched it. Calls between ncclGroupStart and
// ncclGroupEnd launch theirs in the latter: where all of a group's calls are of one communicator they become
// one statement (amounts add up, what differs is left out) about the kernel, or about each of its kernels, of
// which the file does not say which call they serve. A send to and a receive from every rank of the
// communicator are an all-to-all; other sends and receives stay point-to-point. What was said of a kernel by
// its own name fills in what the range leaves open. Statements without a kernel stay with their range. On
// return report.collectives is sorted and has one row for each slice.
void joinCollectives(Report& report);

} // namespace lockstep
