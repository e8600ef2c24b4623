// A profiler in small: connects to a program with Tracy's client and prints the zones that arrive,
// one a line, with times in nanoseconds on the CPU's axis since the program's start:
//
//   cpu_zone BEGIN END NAME
//   gpu_zone BEGIN END NAME
//   gpu_context CPU_TIME PERIOD     a row of GPU zones begins
//   gpu_sync CPU_TIME SHIFT         the GPU's zero has moved by so much on the CPU's axis
//   end                             the program has said good-bye
//
// Sizes and numbers of everything on the wire come from the client's own headers. Usage:
//
//   receiver PORT SECONDS [ZONES]
//
// It tries to connect for SECONDS. With ZONES, it goes away without a word after so many GPU zones.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/TracyProtocol.hpp"
#include "common/TracyQueue.hpp"
#include "common/tracy_lz4.hpp"

using tracy::QueueType;

[[noreturn]] static void fail( const char* format, ... )
{
    va_list arguments;
    va_start( arguments, format );
    fprintf( stderr, "receiver: " );
    vfprintf( stderr, format, arguments );
    fprintf( stderr, "\n" );
    va_end( arguments );
    exit( 1 );
}

// The connection.

static int connect_within( uint16_t port, double seconds )
{
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons( port );
    address.sin_addr.s_addr = htonl( INADDR_LOOPBACK );
    const auto began = std::chrono::steady_clock::now();
    for( ;; )
    {
        const int to = socket( AF_INET, SOCK_STREAM, 0 );
        if( to < 0 ) fail( "no socket: %s", strerror( errno ) );
        if( connect( to, (const sockaddr*)&address, sizeof( address ) ) == 0 )
        {
            // The client says that it is alive every five seconds: longer silence is a hang.
            const timeval limit = { 15, 0 };
            setsockopt( to, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof( limit ) );
            return to;
        }
        close( to );
        const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - began;
        if( waited.count() > seconds ) fail( "nobody listens at port %u", port );
        std::this_thread::sleep_for( std::chrono::milliseconds( 2 ) );
    }
}

static void read_all( int from, void* to, size_t bytes )
{
    for( size_t have = 0; have < bytes; )
    {
        const ssize_t got = recv( from, (char*)to + have, bytes - have, 0 );
        if( got == 0 ) fail( "the program has gone without a good-bye" );
        if( got < 0 && errno != EINTR ) fail( "nothing to read: %s", strerror( errno ) );
        if( got > 0 ) have += size_t( got );
    }
}

static void write_all( int to, const void* from, size_t bytes )
{
    if( send( to, from, bytes, MSG_NOSIGNAL ) != ssize_t( bytes ) ) fail( "cannot send: %s", strerror( errno ) );
}

static tracy::WelcomeMessage shake_hands( int with )
{
    write_all( with, tracy::HandshakeShibboleth, tracy::HandshakeShibbolethSize );
    write_all( with, &tracy::ProtocolVersion, sizeof( tracy::ProtocolVersion ) );
    tracy::HandshakeStatus status;
    read_all( with, &status, sizeof( status ) );
    if( status != tracy::HandshakeWelcome ) fail( "refused with status %d", int( status ) );
    tracy::WelcomeMessage welcome;
    read_all( with, &welcome, sizeof( welcome ) );
    if( welcome.flags & tracy::WelcomeFlag::OnDemand )
    {
        tracy::OnDemandPayloadMessage unused;
        read_all( with, &unused, sizeof( unused ) );
    }
    return welcome;
}

// Blocks of one LZ4 stream: each may refer to the 64 KiB before it.
class Stream
{
public:
    explicit Stream( int from ) : m_from( from ), m_packed( tracy::LZ4Size ), m_plain( History + tracy::TargetFrameSize ) {}

    // The next block, valid until the one after it.
    std::pair<const char*, const char*> next()
    {
        tracy::lz4sz_t size;
        read_all( m_from, &size, sizeof( size ) );
        if( size > m_packed.size() ) fail( "a block of %u bytes", size );
        read_all( m_from, m_packed.data(), size );
        if( m_held > History )
        {
            memmove( m_plain.data(), m_plain.data() + m_held - History, History );
            m_held = History;
        }
        char* const begin = m_plain.data() + m_held;
        const int got = tracy::LZ4_decompress_safe_usingDict( m_packed.data(), begin, int( size ), int( tracy::TargetFrameSize ), m_plain.data(), int( m_held ) );
        if( got < 0 ) fail( "a block that is no LZ4" );
        m_held += size_t( got );
        return { begin, begin + got };
    }

private:
    static constexpr size_t History = 64 * 1024;
    int m_from;
    std::vector<char> m_packed, m_plain;
    size_t m_held = 0;
};

// What is said, made into zones.
class Zones
{
public:
    explicit Zones( const tracy::WelcomeMessage& welcome ) : m_mul( welcome.timerMul ), m_zero( welcome.initBegin ) {}

    size_t gpu_zones = 0;
    bool ended = false;

    // An item without a text behind it.
    void take( const tracy::QueueItem& item )
    {
        switch( item.hdr.type )
        {
        case QueueType::ThreadContext:
            // Times on a thread are differences, which begin anew whenever another one has its say.
            m_thread = item.threadCtx.thread;
            m_thread_time = 0;
            break;
        case QueueType::ZoneBeginAllocSrcLoc: begin( m_thread_time += item.zoneBeginLean.time ); break;
        case QueueType::ZoneEnd16: end( m_thread_time += item.zoneEnd16.time ); break;
        case QueueType::ZoneEnd32: end( m_thread_time += int64_t( item.zoneEnd32.time + tracy::ProtocolOffset16Bit ) ); break;
        case QueueType::ZoneEnd:
        {
            const int64_t difference = item.zoneEnd.time;
            end( m_thread_time += difference < 0 ? difference : difference + int64_t( tracy::ProtocolOffset32Bit ) );
            break;
        }
        case QueueType::GpuNewContext:
            m_period = item.gpuNewContext.period;
            m_shift = on_cpu( item.gpuNewContext.cpuTime ) - m_period * double( item.gpuNewContext.gpuTime );
            printf( "gpu_context %.0f %g\n", on_cpu( item.gpuNewContext.cpuTime ), m_period );
            break;
        case QueueType::GpuTimeSync:
        {
            const double shift = on_cpu( item.gpuTimeSync.cpuTime ) - m_period * double( item.gpuTimeSync.gpuTime );
            printf( "gpu_sync %.0f %.0f\n", on_cpu( item.gpuTimeSync.cpuTime ), shift - m_shift );
            m_shift = shift;
            break;
        }
        case QueueType::GpuZoneBeginAllocSrcLocSerial: gpu_begin( item.gpuZoneBeginLean.queryId ); break;
        case QueueType::GpuZoneEndSerial: gpu_end( item.gpuZoneEnd.queryId ); break;
        case QueueType::GpuTime:
            m_gpu_time += item.gpuTime.gpuTime;
            gpu_time( item.gpuTime.queryId, m_period * double( m_gpu_time ) + m_shift );
            break;
        case QueueType::Terminate: ended = true; break;
        // What would be decoded wrongly if it came: it shares the times above.
        case QueueType::ZoneBegin:
        case QueueType::ZoneBegin32:
        case QueueType::ZoneBegin16:
        case QueueType::GpuZoneBeginSerial: fail( "a zone with a static name, which this program does not ask for" );
        default: break;
        }
    }

    // A text, which belongs to the item behind it.
    void take( QueueType type, const char* text, size_t size )
    {
        if( type != QueueType::SourceLocationPayload ) return;
        // Colour and line, then function and file, which end with a zero, then the name to the end.
        const char* const end = text + size;
        const char* at = text + 2 * sizeof( uint32_t );
        for( int skipped = 0; skipped < 2 && at < end; skipped++ ) at += strnlen( at, size_t( end - at ) ) + 1;
        if( at > end ) fail( "a source location without a name" );
        m_name.assign( at, size_t( end - at ) );
    }

private:
    struct Zone
    {
        std::string name;
        double begin;
    };

    double on_cpu( int64_t time ) const { return double( time - m_zero ) * m_mul; }

    void begin( int64_t time ) { m_open[m_thread].push_back( { m_name, on_cpu( time ) } ); }

    void end( int64_t time )
    {
        auto& open = m_open[m_thread];
        if( open.empty() ) fail( "a zone ends that has not begun" );
        printf( "cpu_zone %.0f %.0f %s\n", open.back().begin, on_cpu( time ), open.back().name.c_str() );
        open.pop_back();
    }

    void gpu_begin( uint16_t query )
    {
        m_gpu_open.push_back( std::make_shared<Zone>( Zone{ m_name, NAN } ) );
        m_waiting[query] = m_gpu_open.back();
    }

    void gpu_end( uint16_t query )
    {
        if( m_gpu_open.empty() ) fail( "a GPU zone ends that has not begun" );
        m_waiting[query] = m_gpu_open.back();
        m_gpu_open.pop_back();
    }

    // The first of its two times begins a zone, whichever query it comes from.
    void gpu_time( uint16_t query, double time )
    {
        const auto found = m_waiting.find( query );
        if( found == m_waiting.end() ) fail( "a time for a GPU zone that has not begun" );
        Zone& zone = *found->second;
        if( std::isnan( zone.begin ) )
        {
            zone.begin = time;
        }
        else
        {
            printf( "gpu_zone %.0f %.0f %s\n", zone.begin, time, zone.name.c_str() );
            gpu_zones++;
        }
        m_waiting.erase( found );
    }

    double m_mul;
    int64_t m_zero;
    uint32_t m_thread = 0;
    int64_t m_thread_time = 0, m_gpu_time = 0;
    double m_period = 1, m_shift = 0;
    std::string m_name;
    std::map<uint32_t, std::vector<Zone>> m_open;
    std::vector<std::shared_ptr<Zone>> m_gpu_open;
    // By the query that its time will come from.
    std::map<uint16_t, std::shared_ptr<Zone>> m_waiting;
};

// Takes one item, with the text behind it where it has one, and returns where the next one begins.
static const char* take_item( const char* at, const char* end, Zones& zones )
{
    const auto index = uint8_t( *at );
    if( index >= uint8_t( QueueType::NUM_TYPES ) ) fail( "an item of type %u", index );
    const auto type = QueueType( index );
    const size_t size = tracy::QueueDataSize[index];
    if( size > size_t( end - at ) ) fail( "half an item of type %u", index );
    tracy::QueueItem item;
    memcpy( &item, at, size );
    at += size;
    size_t width = 0, more = 0;
    switch( type )
    {
    case QueueType::SingleStringData8:
    case QueueType::SecondStringData8: width = sizeof( uint8_t ); break;
    case QueueType::SingleStringData:
    case QueueType::SecondStringData: width = sizeof( uint16_t ), more = tracy::ProtocolOffset8Bit; break;
    case QueueType::FrameImageData:
    case QueueType::SymbolCode:
    case QueueType::SourceCode: width = sizeof( uint32_t ); break;
    default: width = type >= QueueType::StringData ? sizeof( uint16_t ) : 0; break;
    }
    if( width == 0 )
    {
        zones.take( item );
        return at;
    }
    uint32_t length = 0;
    if( width > size_t( end - at ) ) fail( "an item of type %u without a length", index );
    // The length's low bytes come first on every machine that Tracy runs on.
    memcpy( &length, at, width );
    at += width;
    if( length + more > size_t( end - at ) ) fail( "half a text of type %u", index );
    zones.take( type, at, length + more );
    return at + length + more;
}

int main( int count, char** words )
{
    if( count != 3 && count != 4 ) fail( "usage: receiver PORT SECONDS [ZONES]" );
    const size_t most = count == 4 ? size_t( atoll( words[3] ) ) : SIZE_MAX;
    const int program = connect_within( uint16_t( atoi( words[1] ) ), atof( words[2] ) );
    Zones zones( shake_hands( program ) );
    Stream stream( program );
    while( !zones.ended )
    {
        auto [at, end] = stream.next();
        while( at < end && !zones.ended ) at = take_item( at, end, zones );
        if( zones.gpu_zones >= most ) return 0;
    }
    // It waits for this before it ends.
    const tracy::ServerQueryPacket leave = { tracy::ServerQueryTerminate, 0, 0 };
    write_all( program, &leave, sizeof( leave ) );
    printf( "end\n" );
    return 0;
}
