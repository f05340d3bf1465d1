// PostgreSQL's client library, loaded when a server is first asked for.
#pragma once

#include <libpq-fe.h>

#include "support/result.hpp"

// What we call of it.
#define CH_PQ_SYMBOLS(X)  \
  X(PQclear)              \
  X(PQconnectdbParams)    \
  X(PQconninfoFree)       \
  X(PQconninfoParse)      \
  X(PQenterPipelineMode)  \
  X(PQerrorMessage)       \
  X(PQexec)               \
  X(PQexecPrepared)       \
  X(PQexitPipelineMode)   \
  X(PQfinish)             \
  X(PQfreemem)            \
  X(PQftype)              \
  X(PQgetisnull)          \
  X(PQgetlength)          \
  X(PQgetResult)          \
  X(PQgetvalue)           \
  X(PQnfields)            \
  X(PQntuples)            \
  X(PQpipelineSync)       \
  X(PQprepare)            \
  X(PQresultErrorField)   \
  X(PQresultErrorMessage) \
  X(PQresultStatus)       \
  X(PQsendQueryPrepared)  \
  X(PQsetNoticeProcessor) \
  X(PQstatus)

namespace chop::search {

/// Addresses of functions under their own names.
struct PqLibrary {
#define CH_PQ_MEMBER(name) decltype(&::name) name = nullptr;
  CH_PQ_SYMBOLS(CH_PQ_MEMBER)
#undef CH_PQ_MEMBER
};

/// Stays loaded until the program ends.
Result<const PqLibrary*> load_pq();

}  // namespace chop::search
