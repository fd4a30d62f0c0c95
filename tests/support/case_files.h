// SPDX-License-Identifier: Apache-2.0
// The cases based on public bug reports (shared data, folder "cases"): their files, the right values from
// their expected.json, and the result of Lockstep.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/align/alignment.h"
#include "core/analysis/scope.h"
#include "core/analysis/table.h"
#include "core/base/json_fields.h"
#include "core/trace/workspace.h"
#include "tests/support/places.h"

namespace lockstep::test {

std::filesystem::path caseFile(const std::string& name);
Json expectedOf(const std::string& name);
// Opens one file of a case; it must open.
std::shared_ptr<const Report> reportOfCase(const std::string& file);
// Opens all reports of a folder, as a headless export would load them.
Workspace openedCase(const std::string& folder);
// Returns why a file does not open; "opened" if it does.
std::string refusalOf(const std::string& file);

Table tableOf(std::string_view what, const Workspace& workspace, GroupBy by = GroupBy::total);
Table tableOfFile(std::string_view what, const std::string& file);
int64_t cell(const Table& table, std::string_view column, size_t row = 0);
std::string rulesOf(const Table& table);

ReportKey reportOfRank(const Workspace& workspace, int rank);
// Returns how far the clock of a rank is ahead of rank 0's, according to the alignment.
int64_t ahead_ns(const Workspace& workspace, const Alignment& alignment, int rank);

uint64_t noteCountOf(const Report& report, std::string_view kind);
uint64_t rowCountOf(const Report& report, std::string_view kind);
int64_t kindCount(const Report& report, RowKind kind);
// Returns the first slice of a name, which must exist.
SliceId sliceNamed(const Report& report, std::string_view name);
bool has(const std::string& text, std::string_view part);

} // namespace lockstep::test

// First line of a test function of a case.
#define LOCKSTEP_NEED_CASES()                                                                                \
    LOCKSTEP_NEED_SHARED_DATA();                                                                             \
    if (!std::filesystem::exists(lockstep::test::caseFile("README.md")))                                     \
    QSKIP("the folder of cases is not here")
