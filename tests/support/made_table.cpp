// SPDX-License-Identifier: Apache-2.0
#include "tests/support/made_table.h"

namespace lockstep::test {

std::shared_ptr<const Table> madeTable()
{
    auto table = std::make_shared<Table>("made", "Made");
    const size_t share =
        table->addColumn({"Time", "%", ColumnType::percent, 1, "of the sum of totals", {}, {}});
    const size_t total =
        table->addColumn({"Total Time", "ns", ColumnType::time, 0, "sum of durations", {}, {}});
    const size_t count = table->addColumn({"Instances", "", ColumnType::integer, 0, "", {}, {}});
    const size_t name = table->addColumn({"Name", "", ColumnType::text, 0, "", {}, {}});
    const auto row = [&](int64_t percent, int64_t total_ns, int64_t instances, const char* text) {
        table->addRow();
        table->setNumber(share, percent);
        table->setNumber(total, total_ns);
        table->setNumber(count, instances);
        table->setText(name, text);
    };
    row(314, 11'993'499, 1842, "gemm");
    row(227, 8'670'000, 620, "flash\tfwd");
    row(5, kNoNumber, 9, "nccl_ring");
    return table;
}

} // namespace lockstep::test
