// SPDX-License-Identifier: Apache-2.0
// Labels for tracks, GPUs, threads and processes on screen. Pure.
#pragma once

#include <string>

#include "core/lanes/report_lod.h"

namespace lockstep {

// Returns "node0 · rank 0 · actor" or "node0 · replica 1 rank 2 · rollout"; unknown parts are omitted. If
// neither rank nor replica is known, the name and ID of the process are used. If isSystem, returns "node0 ·
// system".
std::string processLabel(const Identity& identity, std::string_view name, int64_t pid, bool isSystem);
// Appends " · word". Omits the separator if the text is empty, and does nothing for an empty word.
void appendLabelPart(std::string& text, std::string_view word);
// Returns the recording tool as one word: "nsys", "PyTorch".
std::string toolLabel(const Report& report);
// Returns "thread 41613 · main".
std::string threadLabel(const Report& report, ThreadId thread);
// Returns "GPU 0 H100".
std::string gpuLabel(const Report& report, DeviceId device);
// Shortens the name of a GPU: "NVIDIA H100 80GB HBM3" -> "H100"
std::string shortGpuName(std::string_view name);
// Returns "stream 7 · NCCL", "NVTX · nccl" or "CUDA API". The label of a stream contains the stream's main
// activity.
std::string trackLabel(const Report& report, const ReportLod& lod, TrackId track);
// Returns the name of a track kind: "CUDA API", "ops".
std::string trackKindLabel(TrackKind kind);
// Returns "61.2 GiB" for bytes, "83 %" for percent, and otherwise the number with its unit.
std::string counterValueText(double value, std::string_view unit);
bool isByteUnit(std::string_view unit);
// Returns "83 %", "<1 %" for a nonzero fraction below half a percent, or "" if the whole is 0.
std::string percentText(int64_t part_ns, int64_t whole_ns);

// Compares names in natural order: "node2" before "node10".
bool naturalLess(std::string_view a, std::string_view b);

} // namespace lockstep
