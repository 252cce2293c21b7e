#ifndef CPOSTGRES_H
#define CPOSTGRES_H

// Debian puts libpq's header into a separate folder; other systems do not.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif

// libpq, loaded when a server first uses PostgreSQL. Linked, it would bring a dozen libraries (Kerberos, LDAP, SASL,
// OpenSSL) into every start of the program, and the program would not start without them. Each function has the name
// and the meaning of libpq's own, with `cp_` for `PQ`.

// Loads the library; later calls cost a comparison. Call it before any other function. Returns NULL, or what prevents
// it: a text that stays valid until the thread's next call. Thread-safe.
const char *cp_load(void);

PGconn *cp_connectdbParams(const char *const *keywords, const char *const *values, int expand_dbname);
void cp_finish(PGconn *connection);
ConnStatusType cp_status(const PGconn *connection);
PGTransactionStatusType cp_transactionStatus(const PGconn *connection);
char *cp_errorMessage(const PGconn *connection);
int cp_socket(const PGconn *connection);
PQnoticeProcessor cp_setNoticeProcessor(PGconn *connection, PQnoticeProcessor processor, void *argument);
int cp_setnonblocking(PGconn *connection, int is_nonblocking);
int cp_sendQuery(PGconn *connection, const char *query);
int cp_sendPrepare(PGconn *connection, const char *name, const char *query, int count, const Oid *types);
int cp_sendQueryPrepared(
    PGconn *connection, const char *name, int count, const char *const *values, const int *lengths,
    const int *formats, int result_format);
int cp_flush(PGconn *connection);
int cp_consumeInput(PGconn *connection);
int cp_isBusy(PGconn *connection);
PGresult *cp_getResult(PGconn *connection);
PGnotify *cp_notifies(PGconn *connection);
void cp_freemem(void *memory);
ExecStatusType cp_resultStatus(const PGresult *result);
char *cp_resultErrorField(const PGresult *result, int field);
char *cp_cmdStatus(PGresult *result);
int cp_ntuples(const PGresult *result);
int cp_getisnull(const PGresult *result, int row, int column);
int cp_getlength(const PGresult *result, int row, int column);
char *cp_getvalue(const PGresult *result, int row, int column);
void cp_clear(PGresult *result);

// Swift cannot import macros that are character constants.
static inline const char *cp_sqlstate(const PGresult *result) {
    return cp_resultErrorField(result, PG_DIAG_SQLSTATE);
}
static inline const char *cp_message(const PGresult *result) {
    return cp_resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

#endif
