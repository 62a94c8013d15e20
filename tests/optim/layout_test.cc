#include "gyre/optim/layout.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gyre::optim {

using namespace internal;

namespace {

using ::testing::HasSubstr;

TEST(FlatLayoutTest, AlignsEachTensorToALine) {
  FlatLayout layout;
  ASSERT_TRUE(layout.Add("a", {3, 5}).ok());
  ASSERT_TRUE(layout.Add("b", Shape()).ok());
  ASSERT_TRUE(layout.Add("c", {16}).ok());
  ASSERT_TRUE(layout.Add("d", {17}).ok());
  EXPECT_EQ(layout[0].offset, 0);
  EXPECT_EQ(layout[1].offset, 16);
  EXPECT_EQ(layout[2].offset, 32);
  EXPECT_EQ(layout[3].offset, 48);
  EXPECT_EQ(layout.elements(), 80);
  EXPECT_EQ(layout.bytes(), 320u);
  EXPECT_EQ(layout.used(), 15 + 1 + 16 + 17);
  EXPECT_EQ(layout.count(), 4);
}

TEST(FlatLayoutTest, FindsTensorsByNameAndByElement) {
  FlatLayout layout;
  ASSERT_TRUE(layout.Add("a", {15}).ok());
  ASSERT_TRUE(layout.Add("empty", {0}).ok());
  ASSERT_TRUE(layout.Add("b", {2}).ok());
  EXPECT_EQ(layout.Find("b"), 2);
  EXPECT_EQ(layout.Find("B"), -1);
  EXPECT_EQ(layout.TensorAt(0), 0);
  EXPECT_EQ(layout.TensorAt(14), 0);
  EXPECT_EQ(layout.TensorAt(15), -1);  // padding
  EXPECT_EQ(layout.TensorAt(16), 2);
  EXPECT_EQ(layout.TensorAt(17), 2);
  EXPECT_EQ(layout.TensorAt(18), -1);
  EXPECT_EQ(layout.TensorAt(-1), -1);
  EXPECT_EQ(layout.TensorAt(1000), -1);
}

TEST(FlatLayoutTest, IsEmptyAtFirst) {
  const FlatLayout layout;
  EXPECT_EQ(layout.elements(), 0);
  EXPECT_EQ(layout.TensorAt(0), -1);
  EXPECT_EQ(layout.Describe(), "");
}

TEST(FlatLayoutTest, RefusesWhatIsNoParameter) {
  FlatLayout layout;
  ASSERT_TRUE(layout.Add("a", {2}).ok());
  EXPECT_THAT(Message(layout.Add("", {2})), HasSubstr("needs a name"));
  EXPECT_THAT(Message(layout.Add("a", {2})), HasSubstr("\"a\""));
  EXPECT_THAT(Message(layout.Add("b", {-1})), HasSubstr("\"b\""));
  EXPECT_FALSE(layout.Add("c", {2}, -1).ok());
  EXPECT_FALSE(
      layout.Add("c", {2}, std::numeric_limits<double>::quiet_NaN()).ok());
  EXPECT_EQ(layout.count(), 1);
  EXPECT_EQ(KindOf(layout.Add("", {2})), ErrorKind::kConfig);
}

TEST(FlatLayoutTest, DescribesNamesShapesAndOffsets) {
  FlatLayout layout;
  ASSERT_TRUE(layout.Add("a", {3}).ok());
  ASSERT_TRUE(layout.Add("b", {2, 2}, 0.5).ok());
  EXPECT_EQ(layout.Describe(), "a (3) @0\nb (2, 2) @16 lr*0.5\n");
}

}  // namespace
}  // namespace gyre::optim
