// SPDX-License-Identifier: Apache-2.0
#include "core/sql/ready_queries.h"

#include <array>

namespace lockstep {

namespace {

// In a query with a single max(), SQLite takes the other columns, such as the id, from the row with the
// maximum. The rows of such a query therefore link to the longest slice.
constexpr std::array kReadyQueries{
    ReadyQuery{"Kernels", "Kernels by total time",
               R"(SELECT name, count(*) AS n, sum(duration_ns) AS total_ns,
       round(sum(duration_ns) * 100.0 / (SELECT sum(duration_ns) FROM kernel), 1) AS share_percent,
       sum(duration_ns) / count(*) AS mean_ns, max(duration_ns) AS longest_ns, id
FROM kernel
GROUP BY name
ORDER BY total_ns DESC
LIMIT 50)"},
    ReadyQuery{"Kernels", "Longest kernels", R"(SELECT id, rank, stream, name, start_ns, duration_ns
FROM kernel
ORDER BY duration_ns DESC
LIMIT 100)"},
    ReadyQuery{
        "Kernels", "Kernel time by rank and category",
        R"(SELECT rank, category, count(*) AS n, sum(duration_ns) AS total_ns, max(duration_ns) AS longest_ns, id
FROM kernel
GROUP BY rank, category
ORDER BY rank, total_ns DESC)"},

    ReadyQuery{"Launches", "Slowest launch calls",
               R"(SELECT a.id, a.rank, a.name AS call, a.start_ns, a.duration_ns, k.name AS kernel
FROM link l
JOIN kernel k ON k.id = l.effect
JOIN api a ON a.id = l.cause
WHERE l.kind = 'launch'
ORDER BY a.duration_ns DESC
LIMIT 100)"},
    ReadyQuery{"Launches", "Longest delays from launch to kernel start",
               R"(SELECT k.id, k.rank, k.name, k.start_ns - a.start_ns AS waited_ns
FROM link l
JOIN kernel k ON k.id = l.effect
JOIN api a ON a.id = l.cause
WHERE l.kind = 'launch'
ORDER BY waited_ns DESC
LIMIT 100)"},
    ReadyQuery{"Launches", "CUDA calls by total time",
               R"(SELECT name, count(*) AS n, sum(duration_ns) AS total_ns,
       sum(duration_ns) / count(*) AS mean_ns, max(duration_ns) AS longest_ns, id
FROM api
GROUP BY name
ORDER BY total_ns DESC)"},

    ReadyQuery{"Ranges", "NVTX ranges and annotations by name",
               R"(SELECT kind, domain, name, count(*) AS n, sum(duration_ns) AS total_ns,
       sum(duration_ns) / count(*) AS mean_ns, max(duration_ns) AS longest_ns, id
FROM range
WHERE instant = 0
GROUP BY kind, domain, name
ORDER BY total_ns DESC
LIMIT 200)"},
    ReadyQuery{"Ranges", "Longest NVTX ranges", R"(SELECT id, rank, domain, name, depth, start_ns, duration_ns
FROM range
WHERE kind IN ('nvtx_pushpop', 'nvtx_startend')
ORDER BY duration_ns DESC
LIMIT 100)"},

    ReadyQuery{"Copies", "Copies by direction, with throughput",
               R"(SELECT copy_kind, source_kind, destination_kind, count(*) AS n, sum(bytes) AS bytes,
       sum(duration_ns) AS total_ns, round(sum(bytes) * 1.0 / sum(duration_ns), 2) AS gb_per_s,
       max(duration_ns) AS longest_ns, id
FROM memcpy
WHERE kind = 'memcpy'
GROUP BY copy_kind, source_kind, destination_kind
ORDER BY total_ns DESC)"},
    ReadyQuery{"Copies", "Largest copies", R"(SELECT id, rank, copy_kind, bytes, duration_ns,
       round(bytes * 1.0 / duration_ns, 2) AS gb_per_s
FROM memcpy
WHERE bytes > 0
ORDER BY bytes DESC
LIMIT 100)"},

    ReadyQuery{
        "Collectives", "Collectives by communicator and size",
        R"(SELECT group_name, group_size, collective, bytes, count(*) AS n, sum(duration_ns) AS total_ns,
       sum(duration_ns) / count(*) AS mean_ns, max(duration_ns) AS longest_ns, slice
FROM collective
GROUP BY group_name, group_size, collective, bytes
ORDER BY total_ns DESC
LIMIT 200)"},
    ReadyQuery{"Collectives", "Collectives by rank",
               R"(SELECT rank, collective, count(*) AS n, sum(bytes) AS bytes, sum(duration_ns) AS total_ns,
       max(duration_ns) AS longest_ns, slice
FROM collective
GROUP BY rank, collective
ORDER BY rank, total_ns DESC)"},

    ReadyQuery{"Memory and counters", "Memory peaks",
               R"(SELECT r.rank, c.name, c.unit, max(c.value) AS peak, c.time_ns AS peak_at_ns, r.path
FROM counter c
JOIN report r ON r.id = c.report
WHERE c.unit = 'B' OR c.name LIKE '%memory%'
GROUP BY c.counter
ORDER BY peak DESC)"},
    ReadyQuery{
        "Memory and counters", "Mean and peak of each counter",
        R"(SELECT r.rank, c.name, c.unit, count(*) AS n, round(avg(c.value), 2) AS mean, max(c.value) AS peak
FROM counter c
JOIN report r ON r.id = c.report
GROUP BY c.counter
ORDER BY c.name, r.rank)"},

    ReadyQuery{"Steps", "Steps of each report",
               R"(SELECT r.role, r.rank, s.number, s.start_ns, s.duration_ns, s.slice
FROM step s
JOIN report r ON r.id = s.report
ORDER BY s.number, r.role, r.rank)"},
    ReadyQuery{
        "Steps", "Step durations across ranks",
        R"(SELECT r.role, r.step AS training_step, s.number, count(*) AS n, min(s.duration_ns) AS shortest_ns,
       max(s.duration_ns) AS longest_ns, max(s.duration_ns) - min(s.duration_ns) AS spread_ns
FROM step s
JOIN report r ON r.id = s.report
GROUP BY r.role, r.step, s.number
ORDER BY r.role, r.step, s.number)"},
    ReadyQuery{"Steps", "Kernel time in each step",
               R"(SELECT r.role, r.rank, s.number, s.duration_ns, count(k.id) AS kernels,
       sum(k.duration_ns) AS kernel_ns, s.slice
FROM step s
JOIN report r ON r.id = s.report
LEFT JOIN kernel k ON k.report = s.report AND k.start_ns >= s.start_ns AND k.start_ns < s.end_ns
GROUP BY s.report, s.number, s.start_ns
ORDER BY s.number, r.role, r.rank)"},

    ReadyQuery{"Reports", "Clock error bound of each report",
               R"(SELECT r.path, a.method, a.bound_ns, a.confidence, a.reason
FROM alignment a
JOIN report r ON r.id = a.report
ORDER BY a.bound_ns DESC)"},
    ReadyQuery{
        "Reports", "Time covered by role and step",
        R"(SELECT role, step AS training_step, count(*) AS reports, sum(slices) AS slices, min(start_ns) AS start_ns,
       max(end_ns) - min(start_ns) AS covered_ns
FROM report
GROUP BY role, step
ORDER BY start_ns)"},
    ReadyQuery{"Reports", "Reports with lost data", R"(SELECT path, host, role, rank, losses, slices
FROM report
WHERE losses > 0
ORDER BY losses DESC)"},
};

} // namespace

std::span<const ReadyQuery> readyQueries()
{
    return kReadyQueries;
}

} // namespace lockstep
