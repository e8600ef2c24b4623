// How many hashes per second the Groestl-512 kernel of a well-known miner computes, to set beside `groestl`. Of the miner,
// ccminer, only the kernel is taken; it is built with CUDA:
//
//   git clone https://github.com/tpruvot/ccminer target/ccminer && git -C target/ccminer checkout 6ff4e50
//   sed -n '/^void groestl512_gpu_hash_80_quad/,/^}/p' target/ccminer/quark/cuda_quark_groestl512.cu > target/kernel.inc
//   nvcc -O3 -arch=native -I target -I target/ccminer -o target/groestl-ccminer anchors/cuda/groestl.cu
//
// Its workgroups have 256 threads, as in the miner; -DTPB=512 tries another size.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

// The miner's header of this name needs the whole miner. The kernel needs two things of it, of which CUDA 9 renamed one.
#define CUDA_HELPER_H
#define __shfl(value, lane, width) __shfl_sync(0xffffffffu, value, lane, width)
__device__ __forceinline__ uint32_t cuda_swab32(uint32_t word) { return __byte_perm(word, word, 0x0123); }

#include "groestl_functions_quad.h"
#include "groestl_transf_quad.h"

#ifndef TPB
#define TPB 256
#endif
#define THF 4U  // threads per hash
__constant__ uint32_t c_Message80[20];
__global__ __launch_bounds__(TPB, THF)
#include "kernel.inc"

static void must(cudaError_t status, const char* what) {
    if (status != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
        std::exit(1);
    }
}

// The message of `groestl`: its first digest is published.
static const char* HEADER = "12345678901234567890123456789012345678901234567890123456789012345678901234567890";
static const uint32_t NONCE = 0x37383930;  // its last four characters, in big-endian order
static const char* DIGEST =
    "862849fd911852cd54beefa88759db4cead0ef8e36aaf15398303c5c4cbc016d"
    "9b4c42b32081cbdcba710d2693e7663d244fae116ec29ffb40168baf44f944e7";

static void check_first(const uint32_t* digests) {
    uint8_t first[64];
    must(cudaMemcpy(first, digests, sizeof first, cudaMemcpyDeviceToHost), "reading a digest");
    char text[129];
    for (int i = 0; i < 64; ++i) std::snprintf(text + 2 * i, 3, "%02x", first[i]);
    if (std::strcmp(text, DIGEST) != 0) {
        std::fprintf(stderr, "the first digest is %s, not %s\n", text, DIGEST);
        std::exit(1);
    }
}

static float timed(uint32_t hashes, uint32_t* digests) {
    cudaEvent_t begin, end;
    must(cudaEventCreate(&begin), "creating an event");
    must(cudaEventCreate(&end), "creating an event");
    must(cudaEventRecord(begin), "recording an event");
    groestl512_gpu_hash_80_quad<<<(THF * hashes + TPB - 1) / TPB, TPB>>>(hashes, NONCE, digests);
    must(cudaEventRecord(end), "recording an event");
    must(cudaEventSynchronize(end), "hashing");
    float ms;
    must(cudaEventElapsedTime(&ms, begin, end), "reading a time");
    return ms;
}

int main() {
    must(cudaMemcpyToSymbol(c_Message80, HEADER, 80), "copying the header");
    for (uint32_t hashes : {1u << 20, 1u << 24}) {
        uint32_t* digests;
        must(cudaMalloc(&digests, size_t(hashes) * 64), "allocating digests");
        std::vector<float> ms;
        for (int i = 0; i < 50; ++i) ms.push_back(timed(hashes, digests));
        check_first(digests);
        std::sort(ms.begin(), ms.end());
        float median = ms[ms.size() / 2];
        std::printf("%u hashes: median %.4f ms, least %.4f ms: %.1f million per second\n", hashes, median, ms[0], hashes / median / 1e3);
        must(cudaFree(digests), "freeing digests");
    }
}
