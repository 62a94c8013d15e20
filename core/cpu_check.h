// Ends the program with a sentence, and not with an illegal instruction, on a
// processor that lacks what the libraries were compiled for. It looks before
// main() and before any other code of ours.
//
// WARNING 1: a static library gives a program what the program refers to: one
// that calls neither RunMain nor IncludeCpuCheck has no check.

#ifndef GYRE_CORE_CPU_CHECK_H_
#define GYRE_CORE_CPU_CHECK_H_

namespace gyre::internal::inline core {

// Does nothing when called: that a program refers to it brings the check in.
void IncludeCpuCheck();

}  // namespace gyre::internal::inline core

#endif  // GYRE_CORE_CPU_CHECK_H_
