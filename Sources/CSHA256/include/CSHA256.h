#ifndef CSHA256_H
#define CSHA256_H

#include <stddef.h>
#include <stdint.h>

// SHA-256 (FIPS 180-4). In C for the processor's instructions for it, which Swift cannot use. Names files and verifies
// them; it has no key and guards no secret, so its time may depend on the length of the data.

typedef struct {
    uint32_t state[8];
    uint64_t length;
    uint8_t block[64];
} csha256;

void csha256_start(csha256 *hash);
void csha256_add(csha256 *hash, const void *bytes, size_t count);
// Leaves `hash` as it was: more bytes may follow.
void csha256_digest(const csha256 *hash, uint8_t digest[32]);

// Whether the processor has the instructions. `csha256_use_instructions(0)` works without them, for tests.
int csha256_has_instructions(void);
void csha256_use_instructions(int use);

#endif
