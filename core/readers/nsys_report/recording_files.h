// SPDX-License-Identifier: Apache-2.0
// The files that nsys leaves side by side of one recording: raw stream (.qdstrm), report (.nsys-rep, .qdrep),
// SQLite export (.sqlite). Any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lockstep {

// Reader::yieldsTo of all three. Looks into an export to see that it is whole, and may run an nsys once to
// learn what it can convert.
std::string nsysFileYieldsTo(const std::filesystem::path& path,
                             const std::vector<std::filesystem::path>& files);

} // namespace lockstep
