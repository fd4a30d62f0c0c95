// SPDX-License-Identifier: Apache-2.0
// The words on lanes: what tracks, GPUs, threads and processes are called on screen. Pure.
#pragma once

#include <string>

#include "core/lanes/report_lod.h"

namespace lockstep {

// "node0 · rank 0 · actor", "node0 · replica 1 rank 2 · rollout"; what is unknown is left out. Where no place
// in the job is known: the process' name and pid. isSystem: "node0 · system".
std::string processLabel(const Identity& identity, std::string_view name, int64_t pid, bool isSystem);
// Adds " · word", without the dot to an empty text; nothing for an empty word.
void appendWord(std::string& text, std::string_view word);
// What recorded a report, in a word: "nsys", "PyTorch".
std::string toolWord(const Report& report);
// "thread 41613 · main"
std::string threadLabel(const Report& report, ThreadId thread);
// "GPU 0 H100"
std::string gpuLabel(const Report& report, DeviceId device);
// "NVIDIA H100 80GB HBM3" -> "H100"
std::string shortGpuName(std::string_view name);
// "stream 7 · NCCL", "NVTX · nccl", "CUDA API". Streams say what they mostly do.
std::string trackLabel(const Report& report, const ReportLod& lod, TrackId track);
// The kind's own word: "CUDA API", "ops".
std::string trackKindLabel(TrackKind kind);
// "61.2 GiB" for bytes, "83 %" for percent, else the number with the unit.
std::string counterValueText(double value, std::string_view unit);
bool isByteUnit(std::string_view unit);
// "83 %"; "<1 %" for less than half a percent that is not zero. "" for an empty whole.
std::string percentText(int64_t part_ns, int64_t whole_ns);

// Order of names as people count: "node2" before "node10".
bool naturalLess(std::string_view a, std::string_view b);

} // namespace lockstep
