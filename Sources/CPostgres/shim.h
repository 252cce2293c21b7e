#ifndef CPOSTGRES_SHIM_H
#define CPOSTGRES_SHIM_H

// Where libpq's header is differs: Debian keeps it in a folder of its own, others beside all the rest.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif

// What Swift cannot reach: macros that are characters.
static inline const char *cp_sqlstate(const PGresult *result) { return PQresultErrorField(result, PG_DIAG_SQLSTATE); }
static inline const char *cp_message(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

#endif
