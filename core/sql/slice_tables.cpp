// SPDX-License-Identifier: Apache-2.0
// The tables of slices: which columns each has, of which kinds of rows it is.
#include <algorithm>
#include <array>

#include "core/sql/slice_rows.h"

namespace lockstep {

namespace {

constexpr SqlColumn kId{"id",       SqlType::integer,       "", "the slice, unique over all reports",
                        SqlKey::id, uint8_t(SliceField::id)};
constexpr SqlColumn kReport{"report",    SqlType::integer, "",
                            "report.id", SqlKey::report,   uint8_t(SliceField::report)};
constexpr SqlColumn kProcess{"process",    SqlType::integer, "",
                             "process.id", SqlKey::none,     uint8_t(SliceField::process)};
constexpr SqlColumn kThread{"thread",     SqlType::integer,           "", "thread.id; NULL on a GPU",
                            SqlKey::none, uint8_t(SliceField::thread)};
constexpr SqlColumn kDevice{"device",     SqlType::integer,           "", "device.id; NULL off the GPU",
                            SqlKey::none, uint8_t(SliceField::device)};
constexpr SqlColumn kTrack{"track",    SqlType::integer, "",
                           "track.id", SqlKey::track,    uint8_t(SliceField::track)};
constexpr SqlColumn kStream{"stream",     SqlType::integer,
                            "",           "CUDA stream as the process numbers it",
                            SqlKey::none, uint8_t(SliceField::stream)};
constexpr SqlColumn kContext{"context",    SqlType::integer,
                             "",           "CUDA context; 0 where the file does not say",
                             SqlKey::none, uint8_t(SliceField::context)};
constexpr SqlColumn kHost{
    "host", SqlType::text, "", "the machine's name", SqlKey::none, uint8_t(SliceField::host)};
constexpr SqlColumn kRole{"role",       SqlType::text,
                          "",           "actor, rollout, ref, critic, reward ...",
                          SqlKey::none, uint8_t(SliceField::role)};
constexpr SqlColumn kRank{"rank",       SqlType::integer,         "", "position in the job, from 0",
                          SqlKey::rank, uint8_t(SliceField::rank)};
constexpr SqlColumn kStep{"step",       SqlType::integer,         "", "training step that the report is of",
                          SqlKey::none, uint8_t(SliceField::step)};
constexpr SqlColumn kName{"name",       SqlType::text,
                          "",           "what the file calls it; of kernels the full name",
                          SqlKey::name, uint8_t(SliceField::name)};
constexpr SqlColumn kShortName{"short_name", SqlType::text,
                               "",           "the kernel's base name where the file has one",
                               SqlKey::none, uint8_t(SliceField::shortName)};
constexpr SqlColumn kDomain{"domain",     SqlType::text,
                            "",           "NVTX domain, or what the track is called",
                            SqlKey::none, uint8_t(SliceField::domain)};
constexpr SqlColumn kStart{"start_ns",    SqlType::integer,          "ns", "begin, on the aligned axis",
                           SqlKey::start, uint8_t(SliceField::start)};
constexpr SqlColumn kEnd{"end_ns",    SqlType::integer,        "ns", "end, on the aligned axis",
                         SqlKey::end, uint8_t(SliceField::end)};
constexpr SqlColumn kDuration{
    "duration_ns", SqlType::integer,
    "ns",          "how long it took, on the report's own clock; of open ones to the end of the capture",
    SqlKey::none,  uint8_t(SliceField::duration)};
constexpr SqlColumn kReportStart{"report_start_ns",
                                 SqlType::integer,
                                 "ns",
                                 "begin as the file has it, unaligned",
                                 SqlKey::none,
                                 uint8_t(SliceField::reportStart)};
constexpr SqlColumn kKind{"kind",       SqlType::text,
                          "",           "kernel, memcpy, nvtx_pushpop, op ...: as the inventory's words",
                          SqlKey::none, uint8_t(SliceField::kind)};
constexpr SqlColumn kCategory{"category",   SqlType::text,
                              "",           "the legend's word: compute kernel, communication ...",
                              SqlKey::none, uint8_t(SliceField::category)};
constexpr SqlColumn kDepth{"depth",      SqlType::integer,          "", "drawing row in its track, from 0",
                           SqlKey::none, uint8_t(SliceField::depth)};
constexpr SqlColumn kParent{"parent",     SqlType::integer,
                            "",           "slice.id of the innermost slice of its track around it",
                            SqlKey::none, uint8_t(SliceField::parent)};
constexpr SqlColumn kInstant{"instant",    SqlType::integer,
                             "",           "1: a moment without a duration",
                             SqlKey::none, uint8_t(SliceField::instant)};
constexpr SqlColumn kOpen{
    "open",
    SqlType::integer,
    "",
    "1: its end was not recorded: the capture or its thread ended first, or records were lost there",
    SqlKey::none,
    uint8_t(SliceField::open)};
constexpr SqlColumn kBytes{"bytes",      SqlType::integer,          "bytes", "how much was copied or set",
                           SqlKey::none, uint8_t(SliceField::bytes)};
constexpr SqlColumn kCopyKind{"copy_kind",  SqlType::text,
                              "",           "from where to where, as nsys stats prints it",
                              SqlKey::none, uint8_t(SliceField::copyKind)};
constexpr SqlColumn kSourceKind{"source_kind",
                                SqlType::text,
                                "",
                                "Pageable, Pinned, Device ...",
                                SqlKey::none,
                                uint8_t(SliceField::sourceKind)};
constexpr SqlColumn kDestinationKind{
    "destination_kind",          SqlType::text, "",
    "the same of the other end", SqlKey::none,  uint8_t(SliceField::destinationKind)};
constexpr SqlColumn kSourceTable{"source_table",
                                 SqlType::text,
                                 "",
                                 "the file's table it was read from",
                                 SqlKey::none,
                                 uint8_t(SliceField::sourceTable)};
constexpr SqlColumn kSourceRow{"source_row", SqlType::integer,
                               "",           "its row id there, or its byte in the text of a JSON file",
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

constexpr RowKindMask maskOf(std::initializer_list<RowKind> kinds)
{
    RowKindMask mask = 0;
    for (const RowKind kind : kinds)
        mask |= RowKindMask(1) << static_cast<int>(kind);
    return mask;
}

constexpr RowKindMask kEverySlice = ~RowKindMask(0);
constexpr RowKindMask kKernels = maskOf({RowKind::kernel});
constexpr RowKindMask kCopies = maskOf({RowKind::memcpy, RowKind::memset});
constexpr RowKindMask kRanges = maskOf({RowKind::nvtxPushPop, RowKind::nvtxStartEnd, RowKind::nvtxMark,
                                        RowKind::userAnnotation, RowKind::gpuAnnotation});
constexpr RowKindMask kCalls = maskOf({RowKind::runtimeApi, RowKind::driverApi});

constexpr double kMostGrouped = 5e7; // rows that are put in the order of their names: 8 bytes each

template<RowKindMask kKinds>
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
        {"slice", "everything that has a time: kernels, calls, ranges, operators, marks", kSliceColumns,
         openSlices<kEverySlice>, countSlices, kMostGrouped},
        {"kernel", "kernels on a GPU or NPU", kKernelColumns, openSlices<kKernels>, countSlices,
         kMostGrouped},
        {"memcpy", "copies and memsets", kMemcpyColumns, openSlices<kCopies>, countSlices, kMostGrouped},
        {"range", "NVTX ranges and marks, and annotations of frameworks", kRangeColumns, openSlices<kRanges>,
         countSlices, kMostGrouped},
        {"api", "calls of the CUDA runtime and driver", kApiColumns, openSlices<kCalls>, countSlices,
         kMostGrouped},
    }};
    return kTables;
}

} // namespace lockstep
