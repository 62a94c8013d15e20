// What a Var knows of its tape. Every Var of a tape shares one, which lives as
// long as the last of them: a Var that was kept (static, captured) can so be
// told from one of the trace that goes on, without a look at a tape that may
// be gone or belong to another thread.

#ifndef GYRE_AUTODIFF_TAPE_MARK_H_
#define GYRE_AUTODIFF_TAPE_MARK_H_

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "gyre/autodiff/var.h"
#include "gyre/core/source_loc.h"

namespace gyre::internal::inline autodiff {

enum class VarFault : std::uint8_t {
  kNone,
  kNoValue,     // a default Var
  kOtherTrace,  // one of a tape that is gone, closed, or another thread's
};

struct TapeMark {
  // One of a tape.
  explicit TapeMark(Tape* of) : tape(of), thread(std::this_thread::get_id()) {}
  // One of none: what is wrong, and where it was met. `op` and `operand`
  // (from 1) are filled in by those who know.
  TapeMark(VarFault what,
           const SourceLoc& where,
           std::string_view name = "",
           int position = 0)
      : tape(nullptr), fault(what), loc(where), op(name), operand(position) {}

  // Whether the tape may be read from this thread.
  bool readable() const {
    return tape != nullptr && (!open || thread == std::this_thread::get_id());
  }
  // Whether this thread records on it.
  bool recording() const {
    return tape != nullptr && open && thread == std::this_thread::get_id();
  }

  std::atomic<Tape*> tape;  // null when it is gone
  std::atomic<bool> open = true;
  const std::thread::id thread;  // that records

  const VarFault fault = VarFault::kNone;
  const SourceLoc loc;
  const std::string op;
  const int operand = 0;
};

// What is wrong with a Var that cannot be used at `loc` as an operand of `op`;
// what was found out about it before counts more.
std::shared_ptr<const TapeMark> FaultOf(const Var& var,
                                        const SourceLoc& loc,
                                        std::string_view op = "",
                                        int operand = 0);

// "operand 1 of + at m.cc:70 has no value", as an error.
Status ErrorOf(const TapeMark& fault);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_TAPE_MARK_H_
