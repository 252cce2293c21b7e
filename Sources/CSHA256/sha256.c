#include "CSHA256.h"

#include <stdatomic.h>
#include <string.h>

static const uint32_t k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t big_endian(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

#define TURNED(word, bits) ((word) >> (bits) | (word) << (32 - (bits)))

// One round. The next one has the same variables under other names: `h` becomes `a`.
#define ROUND(a, b, c, d, e, f, g, h, t)                                                                               \
    h += (TURNED(e, 6) ^ TURNED(e, 11) ^ TURNED(e, 25)) + ((e & f) ^ (~e & g)) + k[t] + w[t];                          \
    d += h;                                                                                                            \
    h += (TURNED(a, 2) ^ TURNED(a, 13) ^ TURNED(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));

// FIPS 180-4, section 6.2.2.
static void mix_portably(uint32_t state[8], const uint8_t *bytes, size_t blocks) {
    for (; blocks > 0; blocks--, bytes += 64) {
        uint32_t w[64];
        for (int t = 0; t < 16; t++) w[t] = big_endian(bytes + 4 * t);
        for (int t = 16; t < 64; t++) {
            uint32_t s0 = TURNED(w[t - 15], 7) ^ TURNED(w[t - 15], 18) ^ w[t - 15] >> 3;
            uint32_t s1 = TURNED(w[t - 2], 17) ^ TURNED(w[t - 2], 19) ^ w[t - 2] >> 10;
            w[t] = w[t - 16] + s0 + w[t - 7] + s1;
        }
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
        uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
        for (int t = 0; t < 64; t += 8) {
            ROUND(a, b, c, d, e, f, g, h, t)
            ROUND(h, a, b, c, d, e, f, g, t + 1)
            ROUND(g, h, a, b, c, d, e, f, t + 2)
            ROUND(f, g, h, a, b, c, d, e, t + 3)
            ROUND(e, f, g, h, a, b, c, d, t + 4)
            ROUND(d, e, f, g, h, a, b, c, t + 5)
            ROUND(c, d, e, f, g, h, a, b, t + 6)
            ROUND(b, c, d, e, f, g, h, a, t + 7)
        }
        const uint32_t mixed[8] = {a, b, c, d, e, f, g, h};
        for (int i = 0; i < 8; i++) state[i] += mixed[i];
    }
}

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

// The instructions keep the state as the words ABEF and CDGH, and do two rounds each (Intel, "Intel SHA Extensions").
__attribute__((target("sha,sse4.1,ssse3"))) static void mix_with_instructions(
    uint32_t state[8], const uint8_t *bytes, size_t blocks
) {
    const __m128i swapped = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
    __m128i dcba = _mm_loadu_si128((const __m128i *)state);
    __m128i hgfe = _mm_loadu_si128((const __m128i *)(state + 4));
    __m128i cdab = _mm_shuffle_epi32(dcba, 0xB1);
    __m128i efgh = _mm_shuffle_epi32(hgfe, 0x1B);
    __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
    __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xF0);
    for (; blocks > 0; blocks--, bytes += 64) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        // The last 16 words of the message schedule, four in each.
        __m128i w[4];
        for (int i = 0; i < 4; i++) {
            w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(bytes + 16 * i)), swapped);
        }
        for (int t = 0; t < 16; t++) {
            __m128i four = w[t & 3];
            if (t >= 4) {
                // w[t-16] + s0(w[t-15]), then + w[t-7], then + s1(w[t-2]).
                __m128i sum = _mm_sha256msg1_epu32(four, w[(t + 1) & 3]);
                sum = _mm_add_epi32(sum, _mm_alignr_epi8(w[(t + 3) & 3], w[(t + 2) & 3], 4));
                four = w[t & 3] = _mm_sha256msg2_epu32(sum, w[(t + 3) & 3]);
            }
            __m128i rounds = _mm_add_epi32(four, _mm_loadu_si128((const __m128i *)(k + 4 * t)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, rounds);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(rounds, 0x0E));
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
    __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

int csha256_has_instructions(void) {
    unsigned a, b, c, d;
    // Leaf 1: SSSE3 and SSE4.1; leaf 7: SHA.
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSSE3) || !(c & bit_SSE4_1)) return 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & 1u << 29);
}
#else
static void mix_with_instructions(uint32_t state[8], const uint8_t *bytes, size_t blocks) {
    mix_portably(state, bytes, blocks);
}

int csha256_has_instructions(void) { return 0; }
#endif

// -1: not yet known. Threads that find out at the same time find the same.
static atomic_int uses_instructions = -1;

void csha256_use_instructions(int use) { atomic_store(&uses_instructions, use && csha256_has_instructions()); }

static void mix(uint32_t state[8], const uint8_t *bytes, size_t blocks) {
    int use = atomic_load_explicit(&uses_instructions, memory_order_relaxed);
    if (use < 0) {
        use = csha256_has_instructions();
        atomic_store(&uses_instructions, use);
    }
    if (use) mix_with_instructions(state, bytes, blocks);
    else mix_portably(state, bytes, blocks);
}

void csha256_start(csha256 *hash) {
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memset(hash, 0, sizeof *hash);
    memcpy(hash->state, first, sizeof first);
}

void csha256_add(csha256 *hash, const void *data, size_t count) {
    if (count == 0) return;
    const uint8_t *bytes = data;
    size_t held = hash->length % 64;
    hash->length += count;
    if (held > 0) {
        size_t taken = 64 - held < count ? 64 - held : count;
        memcpy(hash->block + held, bytes, taken);
        bytes += taken;
        count -= taken;
        if (held + taken < 64) return;
        mix(hash->state, hash->block, 1);
    }
    mix(hash->state, bytes, count / 64);
    memcpy(hash->block, bytes + count / 64 * 64, count % 64);
}

void csha256_digest(const csha256 *hash, uint8_t digest[32]) {
    csha256 end = *hash;
    // A one bit, zeros, and the number of bits: up to the end of a block.
    uint8_t padding[72] = {0x80};
    size_t zeros = (119 - hash->length % 64) % 64;
    uint64_t bits = hash->length * 8;
    for (int i = 0; i < 8; i++) padding[1 + zeros + (size_t)i] = (uint8_t)(bits >> (56 - 8 * i));
    csha256_add(&end, padding, zeros + 9);
    for (int i = 0; i < 32; i++) digest[i] = (uint8_t)(end.state[i / 4] >> (24 - 8 * (i % 4)));
}
