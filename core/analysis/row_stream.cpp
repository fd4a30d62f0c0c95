// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/row_stream.h"

#include <algorithm>

namespace lockstep {

Result<Table> collectTable(RowStream& rows, size_t most, const Progress& progress)
{
    Table table = rows.head().withoutRows();
    while (const Table* const page = LOCKSTEP_TRY(rows.next(progress))) {
        const size_t room = most - table.rowCount();
        table.appendRows(*page, std::min(room, page->rowCount()));
        if (page->rowCount() <= room) continue;
        table.source.rules.push_back("only the first " + std::to_string(most) +
                                     " rows are shown here; an export writes all of them");
        break;
    }
    return table;
}

} // namespace lockstep
