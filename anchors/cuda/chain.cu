// The chain of passes of tiles_in_one_dispatch in CUDA, for its --library. An image is rows of vectors of four texels, and a pass
// reads of each texel a cross of RADIUS texels; shaders/chain/texel.glsl is the same arithmetic.
//
//   nvcc -O3 -std=c++17 -arch=native -o target/chain-cuda anchors/cuda/chain.cu

#include "program.cuh"

#include <cooperative_groups.h>
#include <cuda/atomic>

#include <algorithm>

constexpr unsigned MULTIPLIER = 0x01000193u, MIX_BITS = 24, MIX = (1u << MIX_BITS) - 1;

struct Image {
    int vectors, height;
    __host__ __device__ size_t size() const { return size_t(vectors) * height; }
};

// All images of a chain: the seed, then one for each pass, one after the other.
struct Images {
    uint4* first;
    Image image;
    int passes;
    __host__ __device__ uint4* at(int generation) const { return first + image.size() * generation; }
};

// What a texel reads, in order.
struct Reads {
    unsigned oldest, mix;
    __device__ explicit Reads(unsigned texel) : oldest(texel), mix(texel) {}
    __device__ void next(unsigned a, unsigned b) {
        oldest = __vimin3_u32(oldest, a, b);
        mix = (mix * MULTIPLIER + a) * MULTIPLIER + b;
    }
    __device__ unsigned texel() const { return ((oldest & ~MIX) | (mix & MIX)) + (1u << MIX_BITS); }
};

// Four texels of a row with RADIUS more on each side, which are at hand in whole vectors.
template <int RADIUS> struct Row {
    static constexpr int NEAR = (RADIUS + 3) / 4, HERE = 4 * NEAR;
    unsigned texels[4 * (2 * NEAR + 1)];
    // `at` counts vectors from the one in the middle.
    __device__ void put(int at, uint4 vector) {
        unsigned* to = texels + HERE + 4 * at;
        to[0] = vector.x, to[1] = vector.y, to[2] = vector.z, to[3] = vector.w;
    }
    __device__ uint4 get(int at) const {
        const unsigned* from = texels + HERE + 4 * at;
        return make_uint4(from[0], from[1], from[2], from[3]);
    }
};

__device__ uint4 all(unsigned texel) { return make_uint4(texel, texel, texel, texel); }
__device__ unsigned& element(uint4& vector, int e) {
    return e == 0 ? vector.x : e == 1 ? vector.y : e == 2 ? vector.z : vector.w;
}

// A vector's next generation. `column` is the vector in the row itself, and RADIUS above and below it.
template <int RADIUS> __device__ uint4 step(const Row<RADIUS>& row, uint4* column) {
    uint4 result;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
        Reads reads(element(column[0], e));
#pragma unroll
        for (int away = 1; away <= RADIUS; ++away) {
            reads.next(row.texels[row.HERE + e - away], row.texels[row.HERE + e + away]);
            reads.next(element(column[-away], e), element(column[away], e));
        }
        element(result, e) = reads.texel();
    }
    return result;
}

// A tile of one pass: a thread loads what its ROWS vectors read, and nothing is shared. What lies outside of the image reads as
// the nearest texel inside. READ_ONLY where nothing writes `from` while the kernel runs.
template <int RADIUS, int ROWS, bool READ_ONLY>
__device__ void tile_of_one_pass(const uint4* from, uint4* to, Image image, int tile_x, int tile_y) {
    const int x = tile_x * blockDim.x + threadIdx.x, y = (tile_y * blockDim.y + threadIdx.y) * ROWS;
    if (x >= image.vectors || y >= image.height) {
        return;
    }
    auto load = [&](int x, int y) {
        const uint4* at = from + size_t(min(max(y, 0), image.height - 1)) * image.vectors + min(max(x, 0), image.vectors - 1);
        return READ_ONLY ? __ldg(at) : *at;
    };
    uint4 column[ROWS + 2 * RADIUS];
    Row<RADIUS> rows[ROWS];
#pragma unroll
    for (int row = 0; row < ROWS + 2 * RADIUS; ++row) {
        column[row] = load(x, y + row - RADIUS);
    }
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        rows[row].put(0, column[RADIUS + row]);
#pragma unroll
        for (int away = 1; away <= Row<RADIUS>::NEAR; ++away) {
            const uint4 before = load(x - away, y + row), behind = load(x + away, y + row);
            rows[row].put(-away, x < away ? all(before.x) : before);
            rows[row].put(away, x + away >= image.vectors ? all(behind.w) : behind);
        }
    }
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        if (y + row < image.height) {
            to[size_t(y + row) * image.vectors + x] = step(rows[row], column + RADIUS + row);
        }
    }
}

// With programmatic dependent launch a kernel begins while the one before still runs, and waits here until that has ended.
__device__ void begin_early(bool is_dependent) {
#if __CUDA_ARCH__ >= 900
    if (is_dependent) {
        cudaTriggerProgrammaticLaunchCompletion();
        cudaGridDependencySynchronize();
    }
#endif
}

template <int RADIUS, int ROWS, bool DEPENDENT> __global__ void one_pass(const uint4* from, uint4* to, Image image) {
    begin_early(DEPENDENT);
    tile_of_one_pass<RADIUS, ROWS, !DEPENDENT>(from, to, image, blockIdx.x, blockIdx.y);
}

// The tiles of a pass in a line.
struct Grid {
    int columns, lines;
    __host__ __device__ int tiles() const { return columns * lines; }
};

// All passes by blocks that are all resident, with a barrier of the whole grid between them.
template <int RADIUS, int ROWS> __global__ void with_grid_barrier(Images images, Grid grid) {
    for (int pass = 0; pass < images.passes; ++pass) {
        for (int tile = blockIdx.x; tile < grid.tiles(); tile += gridDim.x) {
            tile_of_one_pass<RADIUS, ROWS, false>(images.at(pass), images.at(pass + 1), images.image, tile % grid.columns,
                                                  tile / grid.columns);
        }
        if (pass + 1 < images.passes) {
            cooperative_groups::this_grid().sync();
        }
    }
}

using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;
// Words from flag to flag, so that each has a sector of its own.
constexpr int FLAG_STRIDE = 8;

// All passes, a block for each tile, in the order of tickets: a tile that is waited for has been claimed by a block that runs
// already. A tile waits for the flags of the tiles that it reads. `timeouts` counts the waits that timed out.
template <int RADIUS, int ROWS> __global__ void with_flags(Images images, Grid grid, unsigned* flags, unsigned* timeouts) {
    __shared__ int ticket;
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    if (thread == 0) {
        ticket = atomicAdd(flags, 1);
    }
    __syncthreads();
    flags += FLAG_STRIDE;
    const int pass = ticket / grid.tiles(), tile = ticket % grid.tiles(), x = tile % grid.columns, y = tile / grid.columns;
    if (thread < 5) {
        const int column = min(max(x + (thread == 1) - (thread == 2), 0), grid.columns - 1);
        const int line = min(max(y + (thread == 3) - (thread == 4), 0), grid.lines - 1);
        Flag flag(flags[(line * grid.columns + column) * FLAG_STRIDE]);
        for (long long began = clock64(); flag.load(cuda::memory_order_acquire) < pass;) {
            if (clock64() - began > PATIENCE) {
                atomicAdd(timeouts, 1);
                break;
            }
        }
    }
    __syncthreads();
    tile_of_one_pass<RADIUS, ROWS, false>(images.at(pass), images.at(pass + 1), images.image, x, y);
    __syncthreads();
    if (thread == 0) {
        Flag(flags[tile * FLAG_STRIDE]).store(pass + 1, cuda::memory_order_release);
    }
}

// DEPTH passes of a tile, from a region that holds what they read around it. A thread keeps ROWS vectors in registers, and reads
// those around them from shared memory, which holds the region twice: one barrier per pass is enough then.
template <int DEPTH, int COLUMNS, int STRIPS, int ROWS> struct Region {
    static constexpr int RADIUS = 2, BESIDE = (DEPTH * RADIUS + 3) / 4, ABOVE = DEPTH * RADIUS, LINES = STRIPS * ROWS;
    static constexpr int WIDTH = COLUMNS - 2 * BESIDE, HEIGHT = LINES - 2 * ABOVE;
    // A vector more at both ends: the first and the last of a region read beside it; the value is not used.
    static constexpr int VECTORS = COLUMNS * LINES + 2, BYTES = 2 * VECTORS * sizeof(uint4);
    static_assert(WIDTH > 0 && HEIGHT > 0 && ROWS >= RADIUS, "a region holds its border");
    static_assert(ABOVE % ROWS == 0 && HEIGHT % ROWS == 0, "the image begins with a strip");
};

template <int DEPTH, int COLUMNS, int STRIPS, int ROWS, bool DEPENDENT>
__global__ void __launch_bounds__(COLUMNS * STRIPS) fused_passes(const uint4* from, uint4* to, Image image) {
    using Tile = Region<DEPTH, COLUMNS, STRIPS, ROWS>;
    constexpr int RADIUS = Tile::RADIUS;
    extern __shared__ uint4 shared[];
    begin_early(DEPENDENT);
    const int column = threadIdx.x, first = threadIdx.y * ROWS;
    const int x = blockIdx.x * Tile::WIDTH - Tile::BESIDE + column, y = blockIdx.y * Tile::HEIGHT - Tile::ABOVE + first;
    const bool is_inside = y >= 0 && y < image.height;
    // This thread's vectors, with those above and below.
    uint4 vectors[ROWS + 2 * RADIUS];
    uint4* const mine = vectors + RADIUS;
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        mine[row] = from[size_t(min(max(y + row, 0), image.height - 1)) * image.vectors + min(max(x, 0), image.vectors - 1)];
    }
#pragma unroll 1
    for (int pass = 1; pass <= DEPTH; ++pass) {
        // What lies outside of the image reads as the nearest texel inside.
        if (y < image.height && y + ROWS > image.height) {
#pragma unroll
            for (int row = 1; row < ROWS; ++row) {
                mine[row] = y + row >= image.height ? mine[row - 1] : mine[row];
            }
        }
        uint4* const region = shared + pass % 2 * Tile::VECTORS + 1;
#pragma unroll
        for (int row = 0; row < ROWS; ++row) {
            region[(first + row) * COLUMNS + column] = mine[row];
        }
        __syncthreads();
        if (!is_inside || first + ROWS <= pass * RADIUS || first >= Tile::LINES - pass * RADIUS) {
            continue;
        }
        // The outermost strips read rows of their own. What they compute of them is not used.
#pragma unroll
        for (int row = 0; row < RADIUS; ++row) {
            const int above = max(first - RADIUS + row, 0), below = min(first + ROWS + row, Tile::LINES - 1);
            vectors[row] = y == 0 ? mine[0] : region[above * COLUMNS + column];
            mine[ROWS + row] = y + ROWS >= image.height ? mine[ROWS - 1] : region[below * COLUMNS + column];
        }
        uint4 next[ROWS];
#pragma unroll
        for (int row = 0; row < ROWS; ++row) {
            const uint2* here = reinterpret_cast<const uint2*>(region + (first + row) * COLUMNS + column);
            const uint2 before = here[-1], behind = here[2];
            Row<RADIUS> beside;
            beside.put(0, mine[row]);
            beside.put(-1, x == 0 ? all(mine[row].x) : make_uint4(0, 0, before.x, before.y));
            beside.put(1, x + 1 == image.vectors ? all(mine[row].w) : make_uint4(behind.x, behind.y, 0, 0));
            next[row] = step(beside, mine + row);
        }
#pragma unroll
        for (int row = 0; row < ROWS; ++row) {
            mine[row] = next[row];
        }
    }
    const bool is_in_column = column >= Tile::BESIDE && column < Tile::BESIDE + Tile::WIDTH && x < image.vectors;
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        const int line = first + row;
        if (is_in_column && line >= Tile::ABOVE && line < Tile::ABOVE + Tile::HEIGHT && y + row < image.height) {
            to[size_t(y + row) * image.vectors + x] = mine[row];
        }
    }
}

static cudaStream_t stream;
static int multiprocessors;

static int up(int a, int b) { return (a + b - 1) / b; }

enum Launch { PLAIN, DEPENDENT, COOPERATIVE };

template <class... Parameters, class... Arguments>
static void launch(void (*kernel)(Parameters...), dim3 blocks, dim3 threads, int shared_bytes, Launch how,
                   Arguments... arguments) {
    cudaLaunchAttribute attribute = {};
    attribute.id = how == DEPENDENT ? cudaLaunchAttributeProgrammaticStreamSerialization : cudaLaunchAttributeCooperative;
    (how == DEPENDENT ? attribute.val.programmaticStreamSerializationAllowed : attribute.val.cooperative) = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks, config.blockDim = threads, config.dynamicSmemBytes = shared_bytes, config.stream = stream;
    config.attrs = &attribute, config.numAttrs = how == PLAIN ? 0 : 1;
    must(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...), "launching a kernel");
}

// A chain of passes and what it needs beside its images.
struct Chain {
    Images images;
    unsigned *flags, *timeouts;
};

template <int RADIUS, int ROWS> static void passes(const Chain& chain, dim3 threads, const std::string& method) {
    const Images& images = chain.images;
    const dim3 blocks(up(images.image.vectors, threads.x), up(images.image.height, threads.y * ROWS));
    const Grid grid = {int(blocks.x), int(blocks.y)};
    if (method == "grid_barrier") {
        const auto kernel = with_grid_barrier<RADIUS, ROWS>;
        int resident;
        must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads.x * threads.y, 0),
             "asking for the occupancy");
        const dim3 all(std::min(resident * multiprocessors, grid.tiles()));
        return launch(kernel, all, threads, 0, COOPERATIVE, images, grid);
    }
    if (method == "flags") {
        const dim3 all(images.passes * grid.tiles());
        return launch(with_flags<RADIUS, ROWS>, all, threads, 0, PLAIN, images, grid, chain.flags, chain.timeouts);
    }
    const bool dependent = method == "graph_pdl";
    for (int pass = 0; pass < images.passes; ++pass) {
        launch(dependent ? one_pass<RADIUS, ROWS, true> : one_pass<RADIUS, ROWS, false>, blocks, threads, 0,
               dependent && pass > 0 ? DEPENDENT : PLAIN, images.at(pass), images.at(pass + 1), images.image);
    }
}

template <int DEPTH, int COLUMNS, int STRIPS, int ROWS> static void several_passes_at_once(const Images& images, bool dependent) {
    using Tile = Region<DEPTH, COLUMNS, STRIPS, ROWS>;
    const auto kernel = dependent ? fused_passes<DEPTH, COLUMNS, STRIPS, ROWS, true>
                                  : fused_passes<DEPTH, COLUMNS, STRIPS, ROWS, false>;
    must(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Tile::BYTES), "asking for shared memory");
    const dim3 blocks(up(images.image.vectors, Tile::WIDTH), up(images.image.height, Tile::HEIGHT));
    for (int pass = 0; pass < images.passes; pass += DEPTH) {
        launch(kernel, blocks, dim3(COLUMNS, STRIPS), Tile::BYTES, dependent && pass > 0 ? DEPENDENT : PLAIN, images.at(pass),
               images.at(pass + DEPTH), images.image);
    }
}

// Bytes of shared memory of the largest region.
constexpr int MOST_SHARED = Region<4, 36, 16, 4>::BYTES;

// Queues a chain. The shapes are the fastest on an H200.
static void queue(const Chain& chain, int radius, const std::string& method, bool has_dependent_launch) {
    const Images& images = chain.images;
    const size_t each = 4 * images.image.size() / multiprocessors;
    if (method == "fused") {
        return each < 4096     ? several_passes_at_once<6, 22, 14, 4>(images, has_dependent_launch)
               : each < 16'384 ? several_passes_at_once<4, 36, 14, 4>(images, has_dependent_launch)
                               : several_passes_at_once<4, 36, 16, 4>(images, has_dependent_launch);
    }
    if (radius == 8) {
        return passes<8, 2>(chain, dim3(16, 8), method);
    }
    return each < 4096         ? passes<2, 2>(chain, dim3(32, 4), method)
           : method == "flags" ? passes<2, 4>(chain, dim3(32, 4), method)
                               : passes<2, 2>(chain, dim3(32, 8), method);
}

// The seed at the start, nothing that a pass could have computed behind it, and no flag.
static void fill(const Chain& chain, const uint4* seed, size_t flags) {
    const size_t bytes = chain.images.image.size() * sizeof(uint4);
    must(cudaMemcpyAsync(chain.images.at(0), seed, bytes, cudaMemcpyDeviceToDevice, stream), "filling an image");
    must(cudaMemsetAsync(chain.images.at(1), 0, bytes * chain.images.passes, stream), "filling images");
    must(cudaMemsetAsync(chain.flags, 0, flags * sizeof(unsigned), stream), "clearing flags");
    must(cudaMemsetAsync(chain.timeouts, 0, sizeof(unsigned), stream), "clearing the count of waits");
}

static cudaGraphExec_t captured(const Chain& chain, int radius, const std::string& method, bool has_dependent_launch) {
    cudaGraph_t graph;
    cudaGraphExec_t made;
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capturing a graph");
    queue(chain, radius, method, has_dependent_launch);
    must(cudaStreamEndCapture(stream, &graph), "capturing a graph");
    must(cudaGraphInstantiate(&made, graph, 0), "making a graph");
    must(cudaGraphDestroy(graph), "dropping a graph");
    must(cudaGraphUpload(made, stream), "uploading a graph");
    return made;
}

int main(int count, char** told) {
    must(count == 6, "reading WIDTH HEIGHT PASSES RADIUS FOLDER");
    const int width = std::atoi(told[1]), height = std::atoi(told[2]), passes = std::atoi(told[3]), radius = std::atoi(told[4]);
    const std::string folder = told[5];
    int version;
    must(cudaRuntimeGetVersion(&version), "asking for the version");
    multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
    const bool has_dependent_launch = attribute(cudaDevAttrComputeCapabilityMajor) >= 9;
    std::cout << "CUDA " << version / 1000 << '.' << version % 1000 / 10 << ':';
    if (width % 4 == 0 && (radius == 2 || radius == 8)) {
        const int shared = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
        const bool can_fuse = radius == 2 && passes % 12 == 0 && shared >= MOST_SHARED;
        std::cout << " stream graph flags" << (attribute(cudaDevAttrCooperativeLaunch) ? " grid_barrier" : "")
                  << (has_dependent_launch ? " graph_pdl" : "") << (can_fuse ? " fused" : "");
    }
    std::cout << std::endl;

    const Images shape = {nullptr, {width / 4, height}, passes};
    const size_t vectors = shape.image.size();
    // The counter of tickets, and no fewer than there are tiles of any shape.
    const size_t flags = (1 + size_t(up(width, 64)) * up(height, 8)) * FLAG_STRIDE;
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
    const uint4* seed = nullptr;
    std::vector<Chain> chains;
    std::vector<cudaGraphExec_t> graphs;
    std::string method;
    size_t last = 0;
    auto begin = [&](const std::string& asked, size_t repetitions) {
        method = asked;
        last = repetitions - 1;
        if (!seed) {
            seed = read<uint4>(folder + "/seed", vectors);
        }
        while (chains.size() < repetitions) {
            Chain chain = {shape, allocate<unsigned>(flags), chains.empty() ? allocate<unsigned>(1) : chains[0].timeouts};
            chain.images.first = allocate<uint4>(vectors * (passes + 1));
            chains.push_back(chain);
        }
        for (size_t at = 0; at < repetitions; ++at) {
            fill(chains[at], seed, flags);
            if (method == "graph" || method == "graph_pdl" || method == "fused") {
                graphs.push_back(captured(chains[at], radius, method, has_dependent_launch));
            }
        }
    };
    auto one = [&](size_t at) {
        if (graphs.empty()) {
            queue(chains[at], radius, method, has_dependent_launch);
        } else {
            must(cudaGraphLaunch(graphs[at], stream), "launching a graph");
        }
    };
    auto end = [&] {
        unsigned timeouts;
        must(cudaMemcpy(&timeouts, chains[0].timeouts, sizeof(unsigned), cudaMemcpyDeviceToHost), "copying the count of waits");
        must(timeouts == 0, "waiting for a flag");
        for (cudaGraphExec_t graph : graphs) {
            must(cudaGraphExecDestroy(graph), "dropping a graph");
        }
        graphs.clear();
        return chains[last].images.at(passes);
    };
    answer<uint4>(folder, stream, vectors, begin, one, end);
    return 0;
}
