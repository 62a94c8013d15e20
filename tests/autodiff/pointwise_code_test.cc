#include "gyre/autodiff/pointwise_code.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace gyre::internal::inline tests {
namespace {

TEST(PointwiseCode, NamesAreUniqueAndLeadBack) {
  std::set<std::string> names;
  for (int i = 0; i < kCodes; ++i) {
    const Code code = static_cast<Code>(i);
    EXPECT_FALSE(Name(code).empty());
    EXPECT_TRUE(names.insert(std::string(Name(code))).second) << Name(code);
    EXPECT_EQ(CodeFromName(Name(code)), code);
  }
  EXPECT_EQ(CodeFromName("no such code"), std::nullopt);
}

TEST(PointwiseCode, NamesStandBesideTheirCodes) {
  EXPECT_EQ(Name(Code::kConstant), "constant");
  EXPECT_EQ(Name(Code::kTanh), "tanh");
  EXPECT_EQ(Name(Code::kNot), "not");
  EXPECT_EQ(Name(Code::kAdd), "add");
  EXPECT_EQ(Name(Code::kXlogy), "xlogy");
  EXPECT_EQ(Name(Code::kOr), "or");
  EXPECT_EQ(Name(Code::kFma), "fma");
}

TEST(PointwiseCode, Arity) {
  EXPECT_EQ(Arity(Code::kConstant), 0);
  EXPECT_EQ(Arity(Code::kNeg), 1);
  EXPECT_EQ(Arity(Code::kNot), 1);
  EXPECT_EQ(Arity(Code::kAdd), 2);
  EXPECT_EQ(Arity(Code::kOr), 2);
  EXPECT_EQ(Arity(Code::kSelect), 3);
  EXPECT_EQ(Arity(Code::kFma), 3);
}

TEST(PointwiseCode, Predicates) {
  EXPECT_TRUE(IsPredicate(Code::kLt));
  EXPECT_TRUE(IsPredicate(Code::kOr));
  EXPECT_TRUE(IsPredicate(Code::kNot));
  EXPECT_TRUE(IsPredicate(Code::kIsFinite));
  EXPECT_FALSE(IsPredicate(Code::kSelect));
  EXPECT_FALSE(IsPredicate(Code::kXlogy));
}

}  // namespace
}  // namespace gyre::internal::inline tests
