// SPDX-License-Identifier: Apache-2.0
// The slice tables: their columns and row kinds.
#include <algorithm>
#include <array>

#include "core/sql/slice_rows.h"

namespace lockstep {

namespace {

constexpr SqlColumn kId{"id",       SqlType::integer,       "", "slice id, unique across all reports",
                        SqlKey::id, uint8_t(SliceField::id)};
constexpr SqlColumn kReport{"report",    SqlType::integer, "",
                            "report.id", SqlKey::report,   uint8_t(SliceField::report)};
constexpr SqlColumn kProcess{"process",    SqlType::integer, "",
                             "process.id", SqlKey::none,     uint8_t(SliceField::process)};
constexpr SqlColumn kThread{"thread",     SqlType::integer,           "", "thread.id; NULL on a GPU",
                            SqlKey::none, uint8_t(SliceField::thread)};
constexpr SqlColumn kDevice{"device",     SqlType::integer,           "", "device.id; NULL if not on a GPU",
                            SqlKey::none, uint8_t(SliceField::device)};
constexpr SqlColumn kTrack{"track",    SqlType::integer, "",
                           "track.id", SqlKey::track,    uint8_t(SliceField::track)};
constexpr SqlColumn kStream{"stream",     SqlType::integer,           "", "CUDA stream number in the process",
                            SqlKey::none, uint8_t(SliceField::stream)};
constexpr SqlColumn kContext{"context",    SqlType::integer,
                             "",           "CUDA context; 0 if not recorded",
                             SqlKey::none, uint8_t(SliceField::context)};
constexpr SqlColumn kHost{"host", SqlType::text, "", "host name", SqlKey::none, uint8_t(SliceField::host)};
constexpr SqlColumn kRole{"role",       SqlType::text,
                          "",           "actor, rollout, ref, critic, reward ...",
                          SqlKey::none, uint8_t(SliceField::role)};
constexpr SqlColumn kRank{"rank",       SqlType::integer,         "", "rank in the job (zero-based)",
                          SqlKey::rank, uint8_t(SliceField::rank)};
constexpr SqlColumn kStep{"step",       SqlType::integer,         "", "training step of the report",
                          SqlKey::none, uint8_t(SliceField::step)};
constexpr SqlColumn kName{"name",       SqlType::text,
                          "",           "name as recorded in the file; full name for kernels",
                          SqlKey::name, uint8_t(SliceField::name)};
constexpr SqlColumn kShortName{"short_name", SqlType::text,
                               "",           "base name of the kernel, if recorded",
                               SqlKey::none, uint8_t(SliceField::shortName)};
constexpr SqlColumn kDomain{"domain",     SqlType::text,
                            "",           "NVTX domain, or name of the track",
                            SqlKey::none, uint8_t(SliceField::domain)};
constexpr SqlColumn kStart{"start_ns",    SqlType::integer,          "ns", "start on the aligned axis",
                           SqlKey::start, uint8_t(SliceField::start)};
constexpr SqlColumn kEnd{"end_ns",    SqlType::integer,        "ns", "end on the aligned axis",
                         SqlKey::end, uint8_t(SliceField::end)};
constexpr SqlColumn kDuration{
    "duration_ns", SqlType::integer,
    "ns",          "duration on the report's own clock; to the end of the capture if open",
    SqlKey::none,  uint8_t(SliceField::duration)};
constexpr SqlColumn kReportStart{"report_start_ns",
                                 SqlType::integer,
                                 "ns",
                                 "start as recorded in the file, unaligned",
                                 SqlKey::none,
                                 uint8_t(SliceField::reportStart)};
constexpr SqlColumn kKind{"kind",       SqlType::text,
                          "",           "kind, as in the inventory: kernel, memcpy, nvtx_pushpop, op ...",
                          SqlKey::none, uint8_t(SliceField::kind)};
constexpr SqlColumn kCategory{"category",   SqlType::text,
                              "",           "category in the color legend: compute kernel, communication ...",
                              SqlKey::none, uint8_t(SliceField::category)};
constexpr SqlColumn kDepth{"depth",      SqlType::integer,          "", "row within the track (zero-based)",
                           SqlKey::none, uint8_t(SliceField::depth)};
constexpr SqlColumn kParent{"parent",     SqlType::integer,
                            "",           "slice.id of the innermost enclosing slice on the same track",
                            SqlKey::none, uint8_t(SliceField::parent)};
constexpr SqlColumn kInstant{"instant",    SqlType::integer,
                             "",           "1 for an instant, which has no duration",
                             SqlKey::none, uint8_t(SliceField::instant)};
constexpr SqlColumn kOpen{
    "open",       SqlType::integer,
    "",           "1 if the end was not recorded: the capture or thread ended first, or records were lost",
    SqlKey::none, uint8_t(SliceField::open)};
constexpr SqlColumn kBytes{"bytes",      SqlType::integer,          "bytes", "number of bytes copied or set",
                           SqlKey::none, uint8_t(SliceField::bytes)};
constexpr SqlColumn kCopyKind{"copy_kind",  SqlType::text,
                              "",           "copy direction, as nsys stats prints it",
                              SqlKey::none, uint8_t(SliceField::copyKind)};
constexpr SqlColumn kSourceKind{"source_kind",
                                SqlType::text,
                                "",
                                "source memory: Pageable, Pinned, Device ...",
                                SqlKey::none,
                                uint8_t(SliceField::sourceKind)};
constexpr SqlColumn kDestinationKind{"destination_kind",
                                     SqlType::text,
                                     "",
                                     "destination memory: Pageable, Pinned, Device ...",
                                     SqlKey::none,
                                     uint8_t(SliceField::destinationKind)};
constexpr SqlColumn kSourceTable{"source_table",
                                 SqlType::text,
                                 "",
                                 "table in the file that contains the row",
                                 SqlKey::none,
                                 uint8_t(SliceField::sourceTable)};
constexpr SqlColumn kSourceRow{"source_row", SqlType::integer,
                               "",           "row id in that table, or byte offset in a JSON file",
                               SqlKey::none, uint8_t(SliceField::sourceRow)};

constexpr std::array kSliceColumns{kId,     kReport,   kProcess,     kThread,      kDevice,   kTrack,
                                   kHost,   kRole,     kRank,        kStep,        kName,     kStart,
                                   kEnd,    kDuration, kReportStart, kKind,        kCategory, kDepth,
                                   kParent, kInstant,  kOpen,        kSourceTable, kSourceRow};
constexpr std::array kKernelColumns{kId,       kReport,      kProcess,   kDevice,      kTrack,
                                    kStream,   kContext,     kHost,      kRole,        kRank,
                                    kStep,     kName,        kShortName, kStart,       kEnd,
                                    kDuration, kReportStart, kCategory,  kSourceTable, kSourceRow};
constexpr std::array kMemcpyColumns{
    kId,   kReport, kProcess,  kDevice,     kTrack,           kStream,      kContext,  kHost,
    kRole, kRank,   kStep,     kName,       kStart,           kEnd,         kDuration, kReportStart,
    kKind, kBytes,  kCopyKind, kSourceKind, kDestinationKind, kSourceTable, kSourceRow};
constexpr std::array kRangeColumns{kId,      kReport,   kProcess,     kThread,   kTrack, kHost,
                                   kRole,    kRank,     kStep,        kDomain,   kName,  kStart,
                                   kEnd,     kDuration, kReportStart, kKind,     kDepth, kParent,
                                   kInstant, kOpen,     kSourceTable, kSourceRow};
constexpr std::array kApiColumns{kId,       kReport,      kProcess, kThread, kTrack,       kHost,
                                 kRole,     kRank,        kStep,    kName,   kStart,       kEnd,
                                 kDuration, kReportStart, kKind,    kParent, kSourceTable, kSourceRow};

constexpr RowKinds kEverySlice = ~RowKinds(0);
constexpr RowKinds kKernels = rowKinds({RowKind::kernel});
constexpr RowKinds kCopies = rowKinds({RowKind::memcpy, RowKind::memset});
constexpr RowKinds kRanges = rowKinds({RowKind::nvtxPushPop, RowKind::nvtxStartEnd, RowKind::nvtxMark,
                                       RowKind::userAnnotation, RowKind::gpuAnnotation});
constexpr RowKinds kCalls = rowKinds({RowKind::runtimeApi, RowKind::driverApi});

constexpr double kMaxGrouped = 5e7; // maximum number of rows grouped by name, 8 bytes each

template<RowKinds kKinds>
std::unique_ptr<SqlRows> openSlices(const SqlTable&, const SqlScene& scene,
                                    std::span<const SqlCondition> conditions, bool groupedByName,
                                    const Progress& progress)
{
    if (groupedByName) return openGroupedSlices(scene, kKinds, conditions, progress);
    return std::make_unique<SliceRows>(scene, kKinds, conditions, progress);
}

double countSlices(const SqlScene& scene)
{
    return static_cast<double>(scene.sliceCount());
}

} // namespace

std::span<const SqlTable> sliceSqlTables()
{
    static constexpr std::array<SqlTable, 5> kTables{{
        {"slice", "all timed rows: kernels, calls, ranges, operators, marks", kSliceColumns,
         openSlices<kEverySlice>, countSlices, kMaxGrouped},
        {"kernel", "kernels on a GPU or NPU", kKernelColumns, openSlices<kKernels>, countSlices, kMaxGrouped},
        {"memcpy", "copies and memsets", kMemcpyColumns, openSlices<kCopies>, countSlices, kMaxGrouped},
        {"range", "NVTX ranges and marks, and framework annotations", kRangeColumns, openSlices<kRanges>,
         countSlices, kMaxGrouped},
        {"api", "CUDA runtime and driver calls", kApiColumns, openSlices<kCalls>, countSlices, kMaxGrouped},
    }};
    return kTables;
}

} // namespace lockstep
