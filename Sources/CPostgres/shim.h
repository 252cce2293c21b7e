#ifndef CPOSTGRES_SHIM_H
#define CPOSTGRES_SHIM_H

// Debian puts libpq's header into a separate folder; other systems do not.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif

// Swift cannot import macros that are character constants.
static inline const char *cp_sqlstate(const PGresult *result) { return PQresultErrorField(result, PG_DIAG_SQLSTATE); }
static inline const char *cp_message(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

#endif
