// An all-reduce over bare TCP sockets of the loopback: the yardstick for the
// grpc backend. A ring of forked ranks; no checks, no errors, no deadlines.
//
//   socket_ring 2 all-reduce 4K,4M 0.4
//
// ranks, operation (there is but one), sizes, seconds for each. Prints the
// lines of gyre bench, and with them the processor time of rank 0.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "gyre/autodiff/plan/plan.h"
#include "gyre/core/clock.h"

namespace gyre::internal::inline tests {
namespace {

struct Plan {
  int ranks = 2;
  std::vector<std::size_t> sizes;
  double seconds = 0.4;
};
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

void Measure(const Ring& ring, std::size_t bytes, double seconds) {
  std::vector<float> data(bytes / sizeof(float), 1.0f);
  std::vector<float> spare(data.size() / ring.size + 1);
  const auto run = [&] {
    AllReduce(ring, data.data(), data.size(), spare.data());
  };
  // All ranks must do as many rounds: rank 0 tells, by a sum.
  Stopwatch watch;
  for (int i = 0; i < 5; ++i) run();
  const double one = watch.Seconds() / 5;
  float rounds = ring.rank == 0
                     ? std::clamp(static_cast<float>(seconds / one), 7.f, 5e3f)
                     : 0.0f;
  std::vector<float> told(ring.size, rounds);
  AllReduce(ring, told.data(), told.size(), spare.data());
  rounds = std::floor(told[0]);
  std::vector<double> times;
  const double start = ProcessorSeconds();
  for (int i = 0; i < static_cast<int>(rounds); ++i) {
    watch.Restart();
    run();
    times.push_back(watch.Seconds() * 1e6);
  }
  const double cpu = (ProcessorSeconds() - start) * 1e6 / rounds;
  std::sort(times.begin(), times.end());
  if (ring.rank != 0) return;
  const double median = times[times.size() / 2];
  std::printf(
      "{\"backend\":\"socket ring\",\"op\":\"all-reduce\",\"ranks\":%d,"
      "\"bytes\":%zu,\"median_us\":%.2f,\"p99_us\":%.2f,\"gb_per_s\":%.3f,"
      "\"cpu_us\":%.2f}\n",
      ring.size,
      bytes,
      median,
      times[times.size() * 99 / 100],
      bytes / median / 1e3,
      cpu);
  std::fflush(stdout);
}

std::size_t ParseSize(const std::string& text) {
  std::size_t used = 0;
  const std::size_t number = std::stoul(text, &used);
  const char unit = used < text.size() ? text[used] : ' ';
  const int shift = unit == 'K' ? 10 : unit == 'M' ? 20 : 0;
  return std::max((number << shift) / sizeof(float), std::size_t{1}) *
         sizeof(float);
}

int Run(const Plan& plan) {
  const int size = plan.ranks;
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
    for (const std::size_t bytes : plan.sizes) {
      Measure(ring, bytes, plan.seconds);
    }
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
}  // namespace gyre::internal::inline tests

int main(int argc, char** argv) {
  gyre::internal::Plan plan;
  if (argc > 1) plan.ranks = std::atoi(argv[1]);
  std::istringstream sizes(argc > 3 ? argv[3] : "4K,64K,512K,4M,32M");
  for (std::string size; std::getline(sizes, size, ',');) {
    plan.sizes.push_back(gyre::ParseSize(size));
  }
  if (argc > 4) plan.seconds = std::atof(argv[4]);
  if (argc > 2 && std::string(argv[2]) != "all-reduce") return 2;
  return plan.ranks >= 2 && plan.ranks <= 64 ? gyre::Run(plan) : 2;
}
