// Multiplies matrices with cuBLAS, for `sgemm --library PROGRAM`. It is built with CUDA:
//
//   nvcc -O3 -std=c++17 -arch=native -o target/sgemm-cublas anchors/cuda/sgemm.cu -lcublas

#include "program.cuh"

#include <cublas_v2.h>

static void must(cublasStatus_t status, const char* what) { must(status == CUBLAS_STATUS_SUCCESS, what); }

int main(int count, char** told) {
    must(count == 7, "reading M N K ALPHA BETA FOLDER");
    const int m = std::atoi(told[1]), n = std::atoi(told[2]), k = std::atoi(told[3]);
    const float alpha = std::atof(told[4]), beta = std::atof(told[5]);
    const std::string folder = told[6];
    std::cout << "cuBLAS " << CUBLAS_VER_MAJOR << '.' << CUBLAS_VER_MINOR << '.' << CUBLAS_VER_PATCH << ": multiply" << std::endl;

    cudaStream_t stream;
    cublasHandle_t cublas;
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
    must(cublasCreate(&cublas), "opening cuBLAS");
    must(cublasSetStream(cublas, stream), "choosing a stream");
    const size_t results = size_t(m) * n;
    const float *a = nullptr, *b = nullptr, *old = nullptr;
    std::vector<float*> c;
    size_t last = 0;
    auto begin = [&](const std::string&, size_t repetitions) {
        if (!a) {
            a = read<float>(folder + "/a", size_t(m) * k);
            b = read<float>(folder + "/b", size_t(k) * n);
            old = read<float>(folder + "/c", results);
        }
        while (c.size() < repetitions) {
            c.push_back(allocate<float>(results));
        }
        for (float* to : c) {
            must(cudaMemcpyAsync(to, old, results * sizeof(float), cudaMemcpyDeviceToDevice, stream), "filling C");
        }
        last = repetitions - 1;
    };
    auto queue = [&](size_t at) {
        // cuBLAS takes matrices column by column. Row by row, these are C^T = B^T A^T.
        must(cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &alpha, b, n, a, k, &beta, c[at], n), "multiplying");
    };
    answer<float>(folder, stream, results, begin, queue, [&] { return c[last]; });
    return 0;
}
