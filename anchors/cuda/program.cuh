// What programs for --library have in common: they answer questions, and take times on the GPU. samples/src/library.rs says how
// a sample asks. Compiled with CUDA 12.3 or later.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <vector>

static void must(bool succeeded, const std::string& what) {
    if (!succeeded) {
        std::fprintf(stderr, "%s failed\n", what.c_str());
        std::exit(1);
    }
}

static void must(cudaError_t error, const std::string& what) {
    must(error == cudaSuccess, what + " (" + cudaGetErrorString(error) + ")");
}

template <class T> static T* allocate(size_t count) {
    T* memory;
    must(cudaMalloc(&memory, count * sizeof(T)), "allocating memory on the GPU");
    return memory;
}

template <class T> static T* read(const std::string& path, size_t count) {
    std::vector<T> values(count);
    std::ifstream file(path, std::ios::binary);
    must(bool(file.read(reinterpret_cast<char*>(values.data()), count * sizeof(T))), "reading " + path);
    T* memory = allocate<T>(count);
    must(cudaMemcpy(memory, values.data(), count * sizeof(T), cudaMemcpyHostToDevice), "copying " + path);
    return memory;
}

static int attribute(cudaDeviceAttr which) {
    int value;
    must(cudaDeviceGetAttribute(&value, which, 0), "asking for the device");
    return value;
}

// Most clock ticks of a wait: about a second.
constexpr long long PATIENCE = 2'000'000'000;

// Keeps the stream until the CPU has queued what is timed, and notes if that takes too long: because a driver queues only so
// many launches, say.
__global__ void hold(volatile unsigned* go, volatile unsigned* is_late) {
    for (long long began = clock64(); *go == 0;) {
        if (clock64() - began > PATIENCE) {
            *is_late = 1;
            return;
        }
    }
}

// The checksum of a result.
__global__ void add_up(const unsigned* words, size_t count, unsigned long long* sum) {
    unsigned long long mine = 0;
    for (size_t at = blockIdx.x * size_t(blockDim.x) + threadIdx.x; at < count; at += gridDim.x * size_t(blockDim.x)) {
        mine += words[at] * (2ull * at + 1);
    }
    atomicAdd(sum, mine);
}

// Answers questions until there are no more. `begin(method, repetitions)` queues what is not timed, `queue(at)` a repetition,
// and `end()` returns where the last repetition's result lies, of so many elements of T.
template <class T, class Begin, class Queue, class End>
static void answer(const std::string& folder, cudaStream_t stream, size_t elements, Begin begin, Queue queue, End end) {
    cudaEvent_t begun, ended;
    must(cudaEventCreate(&begun), "making an event");
    must(cudaEventCreate(&ended), "making an event");
    volatile unsigned* flags;
    must(cudaHostAlloc((void**)&flags, 2 * sizeof(unsigned), cudaHostAllocMapped), "allocating memory of the CPU");
    const size_t bytes = elements * sizeof(T);
    std::vector<T> result(elements);
    const T* last = nullptr;
    unsigned long long *adder = allocate<unsigned long long>(1), sum;
    std::set<std::string> known;
    for (std::string method; std::cin >> method;) {
        if (method == "result") {
            must(cudaMemcpy(result.data(), last, bytes, cudaMemcpyDeviceToHost), "copying the result");
            std::ofstream file(folder + "/result", std::ios::binary);
            must(bool(file.write(reinterpret_cast<const char*>(result.data()), bytes).flush()), "writing the result");
            std::cout << "written" << std::endl;
            continue;
        }
        size_t repetitions;
        must(bool(std::cin >> repetitions), "reading a number of repetitions");
        if (known.insert(method).second) {
            // What is loaded at the first launch would wait for `hold`.
            begin(method, 1);
            queue(0);
            must(cudaStreamSynchronize(stream), "waiting for the GPU");
            end();
        }
        begin(method, repetitions);
        flags[0] = flags[1] = 0;
        hold<<<1, 1, 0, stream>>>(flags, flags + 1);
        must(cudaGetLastError(), "holding the stream");
        must(cudaEventRecord(begun, stream), "recording an event");
        for (size_t at = 0; at < repetitions; ++at) {
            queue(at);
        }
        must(cudaEventRecord(ended, stream), "recording an event");
        flags[0] = 1;
        must(cudaEventSynchronize(ended), "waiting for the GPU");
        must(flags[1] == 0, "queueing all repetitions within a second");
        float milliseconds;
        must(cudaEventElapsedTime(&milliseconds, begun, ended), "reading the time");
        last = end();
        must(cudaMemset(adder, 0, sizeof(sum)), "clearing the sum");
        add_up<<<1024, 256>>>(reinterpret_cast<const unsigned*>(last), bytes / 4, adder);
        must(cudaGetLastError(), "adding up the result");
        must(cudaMemcpy(&sum, adder, sizeof(sum), cudaMemcpyDeviceToHost), "adding up the result");
        std::cout << milliseconds * 1000 << ' ' << sum << std::endl;
    }
}
