// SPDX-License-Identifier: Apache-2.0
#include "app/cli/query_text.h"

#include <filesystem>

#include "core/base/mapped_file.h"

namespace lockstep {

Result<std::string> queryText(const std::string& sql)
{
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(sql, ignored)) {
        if (sql.find_first_of(" \t\n") == std::string::npos)
            return makeError(ErrorKind::invalid, "--sql " + sql + ": neither an existing file nor a query");
        return sql;
    }
    const MappedFile file = LOCKSTEP_TRY(MappedFile::open(sql));
    return std::string(file.text());
}

} // namespace lockstep
