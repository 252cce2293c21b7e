#include "CPostgres.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

// The version of libpq's interface, unchanged since PostgreSQL 8.
#define LIBRARY "libpq.so.5"

// The functions used: name, result, parameters, arguments.
#define FUNCTIONS(F)                                                                                                   \
    F(connectdbParams, PGconn *, (const char *const *k, const char *const *v, int e), (k, v, e))                       \
    F(finish, void, (PGconn * c), (c))                                                                                 \
    F(status, ConnStatusType, (const PGconn *c), (c))                                                                  \
    F(transactionStatus, PGTransactionStatusType, (const PGconn *c), (c))                                              \
    F(errorMessage, char *, (const PGconn *c), (c))                                                                    \
    F(socket, int, (const PGconn *c), (c))                                                                             \
    F(setNoticeProcessor, PQnoticeProcessor, (PGconn * c, PQnoticeProcessor p, void *a), (c, p, a))                    \
    F(setnonblocking, int, (PGconn * c, int a), (c, a))                                                                \
    F(sendQuery, int, (PGconn * c, const char *q), (c, q))                                                             \
    F(sendPrepare, int, (PGconn * c, const char *n, const char *q, int i, const Oid *t), (c, n, q, i, t))              \
    F(sendQueryPrepared, int,                                                                                          \
      (PGconn * c, const char *n, int i, const char *const *v, const int *l, const int *f, int r),                     \
      (c, n, i, v, l, f, r))                                                                                           \
    F(flush, int, (PGconn * c), (c))                                                                                   \
    F(consumeInput, int, (PGconn * c), (c))                                                                            \
    F(isBusy, int, (PGconn * c), (c))                                                                                  \
    F(getResult, PGresult *, (PGconn * c), (c))                                                                        \
    F(notifies, PGnotify *, (PGconn * c), (c))                                                                         \
    F(freemem, void, (void *m), (m))                                                                                   \
    F(resultStatus, ExecStatusType, (const PGresult *r), (r))                                                          \
    F(resultErrorField, char *, (const PGresult *r, int f), (r, f))                                                    \
    F(cmdStatus, char *, (PGresult * r), (r))                                                                          \
    F(ntuples, int, (const PGresult *r), (r))                                                                          \
    F(getisnull, int, (const PGresult *r, int i, int c), (r, i, c))                                                    \
    F(getlength, int, (const PGresult *r, int i, int c), (r, i, c))                                                    \
    F(getvalue, char *, (const PGresult *r, int i, int c), (r, i, c))                                                  \
    F(clear, void, (PGresult * r), (r))

// The compiler checks each declaration against libpq's header.
#define POINTER(name, result, parameters, arguments) __typeof__(&PQ##name) name;
static struct { FUNCTIONS(POINTER) } libpq;

#define CALL(name, result, parameters, arguments)                                                                      \
    result cp_##name parameters { return libpq.name arguments; }
FUNCTIONS(CALL)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int is_loaded;
static _Thread_local char problem[512];

const char *cp_load(void) {
    if (atomic_load_explicit(&is_loaded, memory_order_acquire)) return NULL;
    pthread_mutex_lock(&lock);
    const char *result = NULL;
    if (!atomic_load_explicit(&is_loaded, memory_order_relaxed)) {
        // Never unloaded: OpenSSL, which it uses, does not support that.
        void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        const char *missing = library ? NULL : LIBRARY;
#define FIND(name, result, parameters, arguments)                                                                      \
    if (!missing) {                                                                                                    \
        *(void **)&libpq.name = dlsym(library, "PQ" #name);                                                            \
        if (!libpq.name) missing = "PQ" #name;                                                                         \
    }
        FUNCTIONS(FIND)
        if (missing) {
            const char *why = dlerror();
            snprintf(problem, sizeof problem, "%s", why ? why : missing);
            result = problem;
        } else {
            atomic_store_explicit(&is_loaded, 1, memory_order_release);
        }
    }
    pthread_mutex_unlock(&lock);
    return result;
}
