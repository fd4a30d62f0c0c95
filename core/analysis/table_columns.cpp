// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/table_columns.h"

namespace lockstep {

TableColumn groupColumn(GroupBy by)
{
    switch (by) {
    case GroupBy::report:
        return {"Report", "", ColumnType::text, 0, "path of the report", ColumnMeaning::report};
    case GroupBy::rank:
        return {"Rank", "", ColumnType::integer, 0, "rank in the job; empty if no file records it"};
    case GroupBy::role:
        return {"Role", "", ColumnType::text, 0, "role in the job; empty if no file records it"};
    case GroupBy::step:
        return {"Step", "", ColumnType::integer, 0, "training step; empty if no file records it"};
    case GroupBy::host:
        return {"Host", "", ColumnType::text, 0, "host name; empty if no file records it"};
    case GroupBy::process:
        return {"Process", "", ColumnType::text, 0,
                "host:pid, or file:pid if the host is unknown; empty for rows without a process"};
    case GroupBy::communicator:
        return {"Communicator", "", ColumnType::text, 0,
                "process group or communicator name from the files; empty if they record none"};
    case GroupBy::replica:
        return {"Replica", "", ColumnType::text, 0, "rollout engine that ran the sample; empty if unknown"};
    case GroupBy::version:
        return {"Version", "", ColumnType::integer, 0,
                "weight version of the sample's first generation; empty if unknown"};
    case GroupBy::group:
        return {"Group", "", ColumnType::text, 0, "prompt or group of the sample; empty if unknown"};
    case GroupBy::total:
        break;
    }
    return {};
}

} // namespace lockstep
