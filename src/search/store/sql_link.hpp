// One process's part in a study of a data base. take() holds the study in a transaction; give()
// leaves writing and committing to a thread.
#pragma once

#include "search/store/sql_pulse.hpp"

namespace chop::search {

struct SqlStudy {
  std::int64_t id = 0;
  std::string name;
};

Result<std::unique_ptr<StudyLink>> open_link(SqlConnect connect, const SqlStudy& study,
                                             const LinkOptions& options);

}  // namespace chop::search
