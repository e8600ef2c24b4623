// Multiplies matrices with cuBLAS, for `sgemm --library PROGRAM`. samples/src/bin/sgemm/library.rs says what it is told and
// what it answers. It is built with CUDA:
//
//   nvcc -O2 -o target/sgemm-cublas anchors/cuda/sgemm.cu -lcublas

#include <cublas_v2.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

static void must(bool succeeded, const char* what) {
    if (!succeeded) {
        std::fprintf(stderr, "%s failed\n", what);
        std::exit(1);
    }
}

static float* allocate(size_t count) {
    float* memory;
    must(cudaMalloc(&memory, count * sizeof(float)) == cudaSuccess, "allocating memory on the GPU");
    return memory;
}

static float* read(const std::string& path, size_t count) {
    std::vector<float> values(count);
    std::ifstream file(path, std::ios::binary);
    must(bool(file.read(reinterpret_cast<char*>(values.data()), count * sizeof(float))), "reading a matrix");
    float* memory = allocate(count);
    must(cudaMemcpy(memory, values.data(), count * sizeof(float), cudaMemcpyHostToDevice) == cudaSuccess, "copying a matrix");
    return memory;
}

int main() {
    std::cout << "cuBLAS " << CUBLAS_VER_MAJOR << '.' << CUBLAS_VER_MINOR << '.' << CUBLAS_VER_PATCH << std::endl;
    int m, n, k;
    float alpha, beta;
    std::string folder;
    std::cin >> m >> n >> k >> alpha >> beta >> std::ws;
    if (!std::getline(std::cin, folder)) {
        return 0;
    }
    const size_t results = size_t(m) * n, bytes = results * sizeof(float);
    const float* a = read(folder + "/a", size_t(m) * k);
    const float* b = read(folder + "/b", size_t(k) * n);
    const float* old = read(folder + "/c", results);
    std::vector<float*> c;
    std::vector<float> result(results);

    cublasHandle_t cublas;
    cudaEvent_t begin, end;
    must(cublasCreate(&cublas) == CUBLAS_STATUS_SUCCESS, "opening cuBLAS");
    must(cudaEventCreate(&begin) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess, "creating events");
    for (size_t repetitions; std::cin >> repetitions;) {
        while (c.size() < repetitions) {
            c.push_back(allocate(results));
        }
        // Where C is large, these copies still run while the rest is queued, and no launch time of the CPU is measured.
        for (float* to : c) {
            must(cudaMemcpyAsync(to, old, bytes, cudaMemcpyDeviceToDevice) == cudaSuccess, "filling C");
        }
        cudaEventRecord(begin);
        for (size_t at = 0; at < repetitions; ++at) {
            // cuBLAS takes matrices column by column. Row by row, these are C^T = B^T A^T.
            must(cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &alpha, b, n, a, k, &beta, c[at], n) ==
                     CUBLAS_STATUS_SUCCESS,
                 "multiplying");
        }
        cudaEventRecord(end);
        must(cudaEventSynchronize(end) == cudaSuccess, "waiting for the GPU");
        float milliseconds;
        must(cudaEventElapsedTime(&milliseconds, begin, end) == cudaSuccess, "reading the time");
        must(cudaMemcpy(result.data(), c[repetitions - 1], bytes, cudaMemcpyDeviceToHost) == cudaSuccess, "copying C");
        std::ofstream file(folder + "/result", std::ios::binary);
        must(bool(file.write(reinterpret_cast<const char*>(result.data()), bytes).flush()), "writing the result");
        std::cout << milliseconds * 1000 << std::endl;
    }
    return 0;
}
