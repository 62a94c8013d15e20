#include "gyre/autodiff/ops/einsum.h"

#include "gyre/autodiff/ops/einsum_spec.h"
#include "tests/autodiff/ops/table.h"

namespace gyre::internal::inline tests {
namespace {

using table::TableNumbers;
using table::Vars;

struct Sample {
  std::string text;
  std::vector<Shape> shapes;
};

const std::vector<Sample>& Samples() {
  static const auto* samples =
      new std::vector<Sample>{{"ij,jk->ik", {{2, 3}, {3, 4}}},
                              {"ij,kj->ik", {{2, 3}, {4, 3}}},
                              {"ji,jk->ki", {{3, 2}, {3, 4}}},
                              {"bij,bjk->bik", {{2, 2, 3}, {2, 3, 4}}},
                              {"bhqd,bhkd->bhqk", {{2, 2, 3, 4}, {2, 2, 5, 4}}},
                              {"bhqk,bhkd->bqhd", {{2, 2, 3, 5}, {2, 2, 5, 4}}},
                              {"nchw,oc->nohw", {{2, 3, 2, 2}, {4, 3}}},
                              {"ijk,kj->i", {{2, 3, 4}, {4, 3}}},
                              {"i,j->ji", {{2}, {3}}},
                              {"bi,b->ib", {{2, 3}, {2}}},
                              {"ij,ij->", {{2, 3}, {2, 3}}},
                              {"ijz,j->i", {{2, 3, 2}, {3}}},
                              {"abc->cb", {{2, 3, 4}}},
                              {"ab->", {{2, 3}}},
                              {"ab->ba", {{2, 3}}}};
  return *samples;
}

Var Apply(const std::string& text, Vars v) {
  return v.size() == 1 ? einsum(text, v[0]) : einsum(text, v[0], v[1]);
}

std::vector<Tensor> InputsEinsum(const Sample& sample) {
  std::vector<Tensor> inputs;
  for (const Shape& shape : sample.shapes) {
    inputs.push_back(TableNumbers(shape, -1, 1, inputs.size() + 1));
  }
  return inputs;
}

TEST(Einsum, GradientsMatchFiniteDifferences) {
  std::vector<table::Case> cases;
  for (const Sample& sample : Samples()) {
    const std::string text = sample.text;
    cases.push_back({"einsum " + text, InputsEinsum(sample), [text](Vars v) {
                       return Apply(text, v);
                     }});
  }
  table::Check(cases);
}

// The definition: a sum over every assignment of positions to letters.
std::vector<double> ByDefinition(const EinsumSpec& spec,
                                 const std::vector<Tensor>& inputs) {
  std::string letters;
  for (const auto& [c, extent] : spec.extents) letters += c;
  std::vector<double> result(spec.Size(spec.result), 0.0);
  for (std::int64_t n = 0; n < spec.Size(letters); ++n) {
    std::map<char, std::int64_t> at;
    std::int64_t rest = n;
    for (const char c : letters) {
      at[c] = rest % spec.extents.at(c);
      rest /= spec.extents.at(c);
    }
    const auto flat = [&](const std::string& axes) {
      std::int64_t index = 0;
      for (const char c : axes) index = index * spec.extents.at(c) + at[c];
      return index;
    };
    double product = 1;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      product *= inputs[i].data<double>()[flat(spec.operands[i])];
    }
    result[flat(spec.result)] += product;
  }
  return result;
}

TEST(Einsum, MatchesTheDefinition) {
  for (const Sample& sample : Samples()) {
    const auto inputs = InputsEinsum(sample);
    const auto spec = EinsumSpec::Parse(sample.text, sample.shapes);
    ASSERT_TRUE(spec.ok());
    const auto out = Evaluate(
        [&](Tape&, Vars v) { return std::vector<Var>{Apply(sample.text, v)}; },
        inputs);
    ASSERT_TRUE(out.ok()) << Message(out.status());
    std::vector<std::int64_t> dims;
    for (const char c : spec->result) dims.push_back(spec->extents.at(c));
    EXPECT_EQ((*out)[0].shape(), Shape(dims)) << sample.text;
    EXPECT_TRUE(AllNear<double>(
        (*out)[0].data<double>(), ByDefinition(*spec, inputs), 1e-12))
        << sample.text;
  }
}

std::string ErrorOf(const std::string& text, const Shape& a, const Shape& b) {
  return TraceError(
      [&](Tape&, Vars v) { return std::vector<Var>{einsum(text, v[0], v[1])}; },
      {Tensor::Zeros(a), Tensor::Zeros(b)});
}

TEST(Einsum, ErrorsSayWhatIsWrong) {
  using testing::HasSubstr;
  EXPECT_THAT(ErrorOf("ij,jk", {2, 3}, {3, 4}),
              HasSubstr("einsum: expected a text like"));
  EXPECT_THAT(ErrorOf("ij,j.->i", {2, 3}, {3, 4}),
              HasSubstr("expected a text like"));
  EXPECT_THAT(ErrorOf("ij->i", {2, 3}, {3, 4}),
              HasSubstr("names 1 operands, got 2"));
  EXPECT_THAT(ErrorOf("ii,ij->j", {2, 2}, {2, 3}),
              HasSubstr("axis 'i' stands twice"));
  EXPECT_THAT(ErrorOf("ij,jk->il", {2, 3}, {3, 4}),
              HasSubstr("axis 'l' of the result is in no operand"));
  EXPECT_THAT(ErrorOf("ij,jk->ik", {2, 3}, {4, 4}),
              HasSubstr("axis 'j' of \"ij,jk->ik\" is 3 and 4"));
  EXPECT_THAT(ErrorOf("ijk,jk->ik", {2, 3}, {3, 4}),
              HasSubstr("names 3 axes, the operand has shape (2, 3)"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
