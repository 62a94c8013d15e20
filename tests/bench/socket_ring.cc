// An all-reduce over bare TCP sockets of the loopback: the yardstick for the
// grpc backend. A ring of forked ranks; no checks, no errors, no deadlines.
//
//   socket_ring 2            ranks; prints bytes, median, best (microseconds)
//                            and processor seconds per GB and rank

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/clock.h"

namespace gyre {
namespace {

constexpr std::size_t kMost = std::size_t{256} << 20;
constexpr std::size_t kSizes[] = {
    4 << 10, 64 << 10, 512 << 10, 4 << 20, 32 << 20, kMost};
constexpr std::size_t kPiece = std::size_t{256} << 10;

struct Ring {
  int rank;
  int size;
  int to;    // socket to the next rank
  int from;  // socket from the one before
};

void Tune(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// Sends `out` and receives `in`, both at once; `got` sees what has come.
template <class Got>
void Step(const Ring& ring,
          const char* out,
          std::size_t out_bytes,
          char* in,
          std::size_t in_bytes,
          const Got& got) {
  std::size_t sent = 0;
  std::size_t received = 0;
  while (sent < out_bytes || received < in_bytes) {
    bool moved = false;
    if (received < in_bytes) {
      const ssize_t n = ::recv(ring.from,
                               in + received,
                               std::min(kPiece, in_bytes - received),
                               MSG_DONTWAIT);
      if (n > 0) {
        received += static_cast<std::size_t>(n);
        got(received);
        moved = true;
      }
    }
    if (sent < out_bytes) {
      const ssize_t n = ::send(ring.to,
                               out + sent,
                               std::min(4 * kPiece, out_bytes - sent),
                               MSG_DONTWAIT | MSG_NOSIGNAL);
      if (n > 0) {
        sent += static_cast<std::size_t>(n);
        moved = true;
      }
    }
    if (moved) continue;
    pollfd events[2] = {
        {ring.from, static_cast<short>(received < in_bytes ? POLLIN : 0), 0},
        {ring.to, static_cast<short>(sent < out_bytes ? POLLOUT : 0), 0}};
    ::poll(events, 2, 1000);
  }
}

void AllReduce(const Ring& ring, float* data, std::size_t count, float* spare) {
  const auto first = [&](int part) { return count * part / ring.size; };
  const auto bytes = [&](int part) {
    return (first(part + 1) - first(part)) * sizeof(float);
  };
  const auto wrap = [&](int part) {
    return (part % ring.size + ring.size) % ring.size;
  };
  for (int step = 0; step < ring.size - 1; ++step) {
    const int out = wrap(ring.rank - step);
    const int in = wrap(out - 1);
    float* const to = data + first(in);
    std::size_t done = 0;
    Step(ring,
         reinterpret_cast<char*>(data + first(out)),
         bytes(out),
         reinterpret_cast<char*>(spare),
         bytes(in),
         [&](std::size_t received) {
           const std::size_t whole = received / sizeof(float);
           for (; done < whole; ++done) to[done] += spare[done];
         });
  }
  for (int step = 0; step < ring.size - 1; ++step) {
    const int out = wrap(ring.rank + 1 - step);
    const int in = wrap(out - 1);
    Step(ring,
         reinterpret_cast<char*>(data + first(out)),
         bytes(out),
         reinterpret_cast<char*>(data + first(in)),
         bytes(in),
         [](std::size_t) {});
  }
}

double ProcessorSeconds() {
  rusage use = {};
  ::getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& t) {
    return t.tv_sec + t.tv_usec * 1e-6;
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

void RunRank(const Ring& ring) {
  std::vector<float> data(kMost / sizeof(float), 1.0f);
  std::vector<float> spare(kMost / sizeof(float) / ring.size + 1);
  for (const std::size_t bytes : kSizes) {
    const int rounds = bytes <= (64 << 10)   ? 1000
                       : bytes <= (4 << 20)  ? 60
                       : bytes <= (32 << 20) ? 15
                                             : 4;
    std::vector<double> times;
    double start_cpu = 0;
    for (int i = 0; i < rounds + 3; ++i) {
      if (i == 3) start_cpu = ProcessorSeconds();
      const Stopwatch watch;
      AllReduce(ring, data.data(), bytes / sizeof(float), spare.data());
      if (i >= 3) times.push_back(watch.Seconds() * 1e6);
    }
    const double cpu =
        (ProcessorSeconds() - start_cpu) / (rounds * bytes * 1e-9);
    std::sort(times.begin(), times.end());
    if (ring.rank == 0) {
      std::printf("%10zu %10.1f %10.1f %6.2f\n",
                  bytes,
                  times[times.size() / 2],
                  times.front(),
                  cpu);
      std::fflush(stdout);
    }
  }
}

int Run(int size) {
  std::vector<int> listeners;
  std::vector<sockaddr_in> addresses;
  for (int r = 0; r < size; ++r) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (::bind(fd, any, length) != 0 || ::listen(fd, 1) != 0) return 1;
    ::getsockname(fd, any, &length);
    listeners.push_back(fd);
    addresses.push_back(address);
  }
  for (int r = 0; r < size; ++r) {
    if (::fork() != 0) continue;
    const sockaddr_in& next = addresses[(r + 1) % size];
    Ring ring = {r, size, ::socket(AF_INET, SOCK_STREAM, 0), -1};
    if (::connect(ring.to,
                  reinterpret_cast<const sockaddr*>(&next),
                  sizeof next) != 0) {
      ::_exit(1);
    }
    ring.from = ::accept(listeners[r], nullptr, nullptr);
    Tune(ring.to);
    Tune(ring.from);
    RunRank(ring);
    ::_exit(0);
  }
  int failed = 0;
  for (int r = 0; r < size; ++r) {
    int state = 0;
    ::wait(&state);
    failed |= state;
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace gyre

int main(int argc, char** argv) {
  const int size = argc > 1 ? std::atoi(argv[1]) : 2;
  return size >= 2 && size <= 64 ? gyre::Run(size) : 2;
}
