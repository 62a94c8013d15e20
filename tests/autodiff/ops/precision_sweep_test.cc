// Every word of one number against mpmath, over the range of its type: values,
// first and second gradients, in units in the last place, of all that can
// compute them: generated code, the interpreter, plain kernels, dual numbers.
//
// The worst of each word stand in docs/precision.md.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "gyre/autodiff/ops/math_vars.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/pointwise_table.h"
#include "gyre/autodiff/vjp.h"
#include "gyre/core/dual.h"
#include "gyre/core/half.h"
#include "gyre/core/simd.h"
#include "tests/support/evaluate.h"

namespace gyre::internal::inline tests {
namespace {

constexpr int kKinds = 3;  // value, first and second gradient

struct Column {
  std::vector<double> x;
  std::vector<double> wanted[kKinds];
};

// By name; of doubles with "/f64" behind it.
std::map<std::string, Column> ReadGolden() {
  std::map<std::string, Column> columns;
  std::ifstream file(GYRE_SOURCE_DIR
                     "/tests/golden/elementwise/elementwise.txt");
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream text(line);
    std::string name, number;
    text >> name;
    Column& column = columns[name];
    const auto next = [&] {
      text >> number;
      return std::strtod(number.c_str(), nullptr);
    };
    column.x.push_back(next());
    for (auto& wanted : column.wanted) wanted.push_back(next());
  }
  return columns;
}

struct Word {
  std::string name;
  Var (*function)(Traced);
};
#define GYRE_SWEEP_WORD(Code, name, Functor, Weight, Generated) \
  {#name, static_cast<Var (*)(Traced)>(&gyre::name)},
const std::vector<Word>& Words() {
  static const std::vector<Word> words = {GYRE_UNARY_WORDS(GYRE_SWEEP_WORD)};
  return words;
}
#undef GYRE_SWEEP_WORD

// The distance in units in the last place of the wanted number.
template <class T>
double Ulps(T got, double wanted) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr int kDigits = std::numeric_limits<T>::digits;
  constexpr int kLeast = std::numeric_limits<T>::min_exponent - kDigits;
  if (std::isnan(wanted)) return std::isnan(got) ? 0 : kInf;
  const T rounded = static_cast<T>(wanted);
  if (std::isnan(got)) return kInf;
  if (std::isinf(rounded) || std::isinf(got)) {
    return got == rounded ? 0 : kInf;
  }
  int exponent = 0;
  std::frexp(rounded, &exponent);
  return std::abs(double{got} - wanted) /
         std::ldexp(1.0, std::max(exponent - kDigits, kLeast));
}

template <class T>
Tensor TensorOf(const std::vector<double>& numbers) {
  Tensor tensor(DTypeOf<T>(), {static_cast<std::int64_t>(numbers.size())});
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    tensor.data<T>()[i] = static_cast<T>(numbers[i]);
  }
  return tensor;
}

// f(x), f'(x), f''(x).
std::vector<Tensor> RunWord(const Word& word,
                            const Tensor& x,
                            const PlanOptions& options) {
  const auto results = Evaluate(
      [&](Tape& tape, std::span<const Var> v) {
        const Var zero = tape.Constant(Tensor::Zeros(x.shape(), x.dtype()));
        const auto slope = [&](Var y) {
          const Var g = Gradients(sum(y), v)[0];
          return g.valid() ? g : zero;
        };
        const Var y = word.function(v[0]);
        const Var first = slope(y);
        return std::vector<Var>{y, first, slope(first)};
      },
      {x},
      options);
  EXPECT_TRUE(results.ok()) << word.name << results.status();
  return results.ok() ? *results : std::vector<Tensor>(kKinds, x);
}

// What may be off by more than the bar, and why.
struct Exception {
  double ulps = 0;   // instead of the bar, if not 0
  double floor = 0;  // smaller numbers are measured as if they were this large
};
constexpr double kBar[] = {4, 4, 8};
// Where a function crosses 0 the sum it is made of has absolute digits only.
constexpr double kCrossing = 0.25;

Exception ExceptionOf(const std::string& name, int kind, bool wide) {
  // The exponent that the formula is about, up to 90 (700 in f64), is rounded.
  if (name == "gelu_tanh") return {wide ? 500.0 : 100.0, 0};
  static const std::map<std::string, std::vector<int>> crossings = {
      {"gelu", {1, 2}},
      {"silu", {1, 2}},
      {"gaussian", {2}},
      {"normal_pdf", {2}},
      {"digamma", {0}},
      {"lgamma", {0, 1}}};
  // A product may be what a factor is not: a number.
  const double least = wide ? std::numeric_limits<double>::min()
                            : std::numeric_limits<float>::min();
  Exception exception = {0, kind > 0 ? 256 * least : 0};
  // Of differences of several terms.
  if (name == "sech2" && kind == 2) exception.ulps = 16;
  if (wide && name.ends_with("erfcx")) exception.ulps = 16;
  if (wide && name == "digamma") exception.ulps = 8;
  if (wide && name == "lgamma" && kind == 1) exception.ulps = 8;
  const auto found = crossings.find(name);
  if (found == crossings.end()) return exception;
  const std::vector<int>& kinds = found->second;
  const bool crosses =
      std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  if (crosses) exception.floor = kCrossing;
  return exception;
}

// A slope of i2erfcx is a difference of tails (core/math_slopes.h).
bool IsPromised(const std::string& name, int kind, double x, double value) {
  const int tail = name == "i2erfcx" ? 2 : name == "ierfcx" ? 1 : 0;
  if (tail + kind > 2) return false;
  // Where the value is out of range nobody asks for its curvature.
  return x == 0 || kind < 2 || std::isfinite(value);
}

template <class T>
double UlpsAbove(T got, double wanted, double floor) {
  if (std::abs(wanted) >= floor || !std::isfinite(got)) {
    return Ulps<T>(got, wanted);
  }
  return std::abs(got - wanted) /
         (std::numeric_limits<T>::epsilon() * floor / 2);
}

// How much was compared, and the worst of it.
struct Tally {
  int cases = 0;
  double worst[kKinds] = {};
};

// `form`: who computed.
template <class T>
void Judge(const std::string& name,
           const char* form,
           const Column& column,
           const std::vector<std::vector<T>>& got,
           Tally* tally) {
  constexpr bool kWide = sizeof(T) == 8;
  for (std::size_t k = 0; k < got.size(); ++k) {
    const auto kind = static_cast<int>(k);
    const Exception exception = ExceptionOf(name, kind, kWide);
    const double bar = exception.ulps > 0 ? exception.ulps : kBar[k];
    for (std::size_t i = 0; i < column.x.size(); ++i) {
      const double x = column.x[i];
      const double wanted = column.wanted[k][i];
      const auto value = static_cast<T>(column.wanted[0][i]);
      if (!IsPromised(name, kind, x, value)) continue;
      const double ulps = UlpsAbove<T>(got[k][i], wanted, exception.floor);
      EXPECT_LE(ulps, bar) << name << " " << (kWide ? "f64 " : "f32 ") << form
                           << ", derivative " << k << " at " << x << ": got "
                           << got[k][i] << ", wanted " << wanted;
      ++tally->cases;
      tally->worst[k] = std::max(tally->worst[k], ulps);
    }
  }
}

template <class T>
std::vector<std::vector<T>> Numbers(const std::vector<Tensor>& tensors) {
  std::vector<std::vector<T>> numbers;
  for (const Tensor& t : tensors) {
    const auto data = t.data<T>();
    numbers.emplace_back(data.begin(), data.end());
  }
  return numbers;
}

struct Form {
  const char* name;
  PlanOptions options;
};
std::vector<Form> Forms() {
  return {{"generated", {}},
          {"interpreted", {.jit = false}},
          {"unfused", {.fuse = false}},
          {"reference", {.kernels = KernelSet::kReference}}};
}

template <class T>
void SweepVars(const char* suffix) {
  const auto golden = ReadGolden();
  int cases = 0;
  for (const Word& word : Words()) {
    const auto found = golden.find(word.name + suffix);
    // The staircases are exact (tests/core/math_test.cc).
    if (found == golden.end()) continue;
    const Column& column = found->second;
    Tally tally;
    for (const Form& form : Forms()) {
      const auto results = RunWord(word, TensorOf<T>(column.x), form.options);
      Judge(word.name, form.name, column, Numbers<T>(results), &tally);
    }
    std::printf("| `%s` | %s | %.1f | %.1f | %.1f |\n",
                word.name.c_str(),
                sizeof(T) == 8 ? "f64" : "f32",
                tally.worst[0],
                tally.worst[1],
                tally.worst[2]);
    cases += tally.cases;
  }
  std::printf("%d numbers compared\n", cases);
  EXPECT_GT(cases, 10000);
}

TEST(PrecisionSweep, VarsInF32) { SweepVars<float>(""); }
TEST(PrecisionSweep, VarsInF64) { SweepVars<double>("/f64"); }

// In functors: dual numbers of batches.
template <class T, class Fn>
void SweepDual(const std::string& name, const Column& column, int* cases) {
  using Lane = Batch<T>;
  Tally tally;
  std::vector<std::vector<T>> got(2);
  for (const double x : column.x) {
    const auto y = Fn{}(Dual<Lane, 1>::Variable(Lane(static_cast<T>(x)), 0));
    got[0].push_back(y.value.get(0));
    got[1].push_back(y.grad[0].get(0));
  }
  Judge(name, "in a functor", column, got, &tally);
  *cases += tally.cases;
}

TEST(PrecisionSweep, WordsInFunctors) {
  const auto golden = ReadGolden();
  int cases = 0;
#define GYRE_SWEEP_DUAL(Code, name, Functor, Weight, Generated)         \
  if (golden.count(#name) > 0) {                                        \
    SweepDual<float, Functor>(#name, golden.at(#name), &cases);         \
    SweepDual<double, Functor>(#name, golden.at(#name "/f64"), &cases); \
  }
  GYRE_UNARY_WORDS(GYRE_SWEEP_DUAL)
#undef GYRE_SWEEP_DUAL
  EXPECT_GT(cases, 8000);
}

// Halves are f32, rounded once.
template <class T>
void ExpectRoundedOnce() {
  const auto golden = ReadGolden();
  for (const Word& word : Words()) {
    const auto found = golden.find(word.name);
    if (found == golden.end()) continue;
    std::vector<double> xs;
    for (const double x : found->second.x) {
      xs.push_back(static_cast<float>(T(static_cast<float>(x))));
    }
    const auto wide = RunWord(word, TensorOf<float>(xs), {});
    Tensor x(DTypeOf<T>(), wide[0].shape());
    for (std::size_t i = 0; i < xs.size(); ++i) {
      x.data<T>()[i] = T(static_cast<float>(xs[i]));
    }
    for (const Form& form : Forms()) {
      const auto half = RunWord(word, x, form.options);
      for (std::size_t i = 0; i < xs.size(); ++i) {
        const T wanted(wide[0].data<float>()[i]);
        const T got = half[0].data<T>()[i];
        const auto number = static_cast<float>(got);
        EXPECT_TRUE(
            got.bits == wanted.bits ||
            (std::isnan(number) && std::isnan(static_cast<float>(wanted))))
            << word.name << " " << form.name << " at " << xs[i] << ": "
            << number;
      }
    }
  }
}

TEST(PrecisionSweep, HalvesAreRoundedOnce) {
  ExpectRoundedOnce<BFloat16>();
  ExpectRoundedOnce<Half>();
}

}  // namespace
}  // namespace gyre::internal::inline tests
