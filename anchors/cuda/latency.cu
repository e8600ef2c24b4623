// What a load takes in CUDA, beside the walks of memory_latency: by pointer, by index, and by an index that is compared with
// the size first, as NVIDIA's Vulkan driver does with storage buffers.
//
//   nvcc -O3 -arch=native anchors/cuda/latency.cu -o latency && ./latency
#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

constexpr unsigned LINE = 128, LOADS = 4096;

struct Pointer {
    const char* at;
    __device__ void step(const char*, unsigned) { at = *reinterpret_cast<const char* const*>(at); }
    __device__ unsigned end() { return static_cast<unsigned>(reinterpret_cast<size_t>(at)); }
};

struct Index {
    unsigned at;
    __device__ void step(const char* lines, unsigned) { at = __ldg(reinterpret_cast<const unsigned*>(lines) + at); }
    __device__ unsigned end() { return at; }
};

struct CheckedIndex {
    unsigned at;
    __device__ void step(const char* lines, unsigned words) {
        const unsigned* word = reinterpret_cast<const unsigned*>(lines) + at;
        unsigned next = 0;
        asm volatile(
            "{ .reg .pred inside; setp.lt.u32 inside, %1, %2; @inside ld.global.nc.u32 %0, [%3]; }"
            : "+r"(next) : "r"(at), "r"(words), "l"(word));
        at = next;
    }
    __device__ unsigned end() { return at; }
};

template <class Place>
__global__ void walk(const char* lines, unsigned words, Place place, unsigned long long* cycles, unsigned* end) {
    for (unsigned half = 0; half < 2; ++half) {
        const long long began = clock64();
#pragma unroll 16
        for (unsigned load = 0; load < LOADS; ++load) {
            place.step(lines, words);
        }
        *end = place.end();
        cycles[half] = clock64() - began;
    }
}

template <class Place, class Link>
double per_load(size_t bytes, Link link) {
    const size_t count = bytes / LINE;
    std::vector<size_t> order(count);
    for (size_t i = 0; i < count; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
    char* lines;
    unsigned long long* cycles;
    unsigned* end;
    cudaMalloc(&lines, bytes);
    cudaMalloc(&cycles, 16);
    cudaMalloc(&end, 4);
    std::vector<char> host(bytes);
    for (size_t i = 0; i < count; ++i) {
        link(host.data() + order[i] * LINE, lines, order[(i + 1) % count] * LINE);
    }
    cudaMemcpy(lines, host.data(), bytes, cudaMemcpyHostToDevice);
    Place first{};
    Place* start = reinterpret_cast<Place*>(host.data() + order[count - 1] * LINE);
    first = *start;
    unsigned long long took[2], least = ~0ull;
    for (int run = 0; run < 20; ++run) {
        walk<Place><<<1, 1>>>(lines, bytes / 4, first, cycles, end);
        cudaMemcpy(took, cycles, 16, cudaMemcpyDeviceToHost);
        least = std::min(least, took[1]);
    }
    if (cudaGetLastError() != cudaSuccess) std::puts("CUDA failed");
    cudaFree(lines);
    cudaFree(cycles);
    cudaFree(end);
    return double(least) / LOADS;
}

int main() {
    std::puts("clocks per load   pointer     index   index compared with the size");
    for (size_t kib : {16, 64, 256, 512}) {
        const size_t bytes = kib << 10;
        const auto pointer = [](char* line, char* lines, size_t next) {
            *reinterpret_cast<char**>(line) = lines + next;
        };
        const auto index = [](char* line, char*, size_t next) {
            *reinterpret_cast<unsigned*>(line) = static_cast<unsigned>(next / 4);
        };
        std::printf("%7zu KiB %15.1f %9.1f %9.1f\n", kib, per_load<Pointer>(bytes, pointer),
                    per_load<Index>(bytes, index), per_load<CheckedIndex>(bytes, index));
    }
}
