// SPDX-License-Identifier: Apache-2.0
// The files of one nsys recording in a folder: raw stream (.qdstrm), report (.nsys-rep, .qdrep), SQLite
// export (.sqlite). Any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lockstep {

// Implements Reader::yieldsTo for all three kinds of nsys files. Opens an export to check that it is
// complete, and may run an nsys once to find out what the nsys can convert.
std::string nsysFileYieldsTo(const std::filesystem::path& path,
                             const std::vector<std::filesystem::path>& files);

} // namespace lockstep
