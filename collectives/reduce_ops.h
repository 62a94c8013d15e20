// What is done with two accumulators, and with the last one. Included by the
// kernels only (reduce.cc, partial_reduce.cc).

#ifndef GYRE_COLLECTIVES_REDUCE_OPS_H_
#define GYRE_COLLECTIVES_REDUCE_OPS_H_

namespace gyre::internal::inline collectives::reduce {

struct Sum {
  template <class Format>
  static typename Format::Acc Combine(typename Format::Acc a,
                                      typename Format::Acc b) {
    using Bits = typename Format::Bits;
    return (typename Format::Acc)((Bits)a + (Bits)b);
  }
  template <class Format>
  static typename Format::Acc Finish(typename Format::Acc acc, int) {
    return acc;
  }
};

struct Mean : Sum {
  template <class Format>
  static typename Format::Acc Finish(typename Format::Acc acc, int n) {
    return Format::Divide(acc, n);
  }
};

struct Prod : Sum {
  template <class Format>
  static typename Format::Acc Combine(typename Format::Acc a,
                                      typename Format::Acc b) {
    using Bits = typename Format::Bits;
    return (typename Format::Acc)((Bits)a * (Bits)b);
  }
};

// A NaN in `a` is kept by a != a; one in `b` makes every comparison false.
struct Min : Sum {
  template <class Format>
  static typename Format::Acc Combine(typename Format::Acc a,
                                      typename Format::Acc b) {
    return ((a < b) | (a != a)) ? a : b;
  }
};

struct Max : Sum {
  template <class Format>
  static typename Format::Acc Combine(typename Format::Acc a,
                                      typename Format::Acc b) {
    return ((a > b) | (a != a)) ? a : b;
  }
};

}  // namespace gyre::internal::inline collectives::reduce

#endif  // GYRE_COLLECTIVES_REDUCE_OPS_H_
