// One process's part in a study of a database.
//
// begin() locks the study in a transaction and reads what other processes changed since; commit()
// hands the changes of this one to a background thread, which writes and commits them while the
// caller goes on. A lost connection is opened again, for as long as the options say. Where it was
// lost during a COMMIT, the server is asked by the transaction's id whether it committed, so that
// no trial is lost and none is stored twice.
//
//   state     what it means                      begin()               commit()      flush()
//   Idle      nothing locked, nothing to store   -> Locked            not legal   stores reports
//   Locked    our transaction locks the study    not legal            -> Writing  not legal
//   Writing   the thread stores the changes      waits for Idle or Failed, then as there
//   Failed    the thread gave up                 returns its error -> Unstored
//   Unstored  changes not known to be stored     stores them -> Idle, then as there
//
// commit() without changes and reports, or with values that cannot be stored, leads from Locked to
// Idle. The thread alone sees Unstored and Writing alternate: it is Unstored when the connection is
// lost, Writing once it has locked the study again. report() is legal in every state. A session
// that is destroyed waits for the thread; if it is Idle then, it stores the last reports.
#pragma once

#include "search/store/sql/heartbeat.hpp"

namespace chop::search {

struct SqlStudy {
  std::int64_t id = 0;
  std::string name;
};

Result<std::unique_ptr<StudySession>> open_sql_session(SqlConnect connect, const SqlStudy& study,
                                                       const SessionOptions& options);

}  // namespace chop::search
