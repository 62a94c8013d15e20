#include "gyre/collectives/network_options.h"

#include <gtest/gtest.h>

#include <map>

namespace gyre::internal::inline tests {
namespace {

EnvReader Env(const std::map<std::string, std::string>& variables) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto it = variables.find(name);
    if (it == variables.end()) return std::nullopt;
    return it->second;
  };
}

TEST(NetworkOptions, NothingSetIsAuto) {
  const auto options = ReadNetworkOptions(Env({}));
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->collectives, "auto");
  EXPECT_EQ(options->tls, "off");
  EXPECT_FALSE(options->insecure);
  EXPECT_TRUE(NetworkVariables(*options).empty());
}

TEST(NetworkOptions, VariablesComeBack) {
  NetworkOptions asked = {"grpc", "a.pem,b.pem,c.pem", true};
  std::map<std::string, std::string> variables;
  for (const auto& [name, value] : NetworkVariables(asked)) {
    variables[name] = value;
  }
  const auto options = ReadNetworkOptions(Env(variables));
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->collectives, "grpc");
  EXPECT_EQ(options->tls, asked.tls);
  EXPECT_TRUE(options->insecure);
}

TEST(NetworkOptions, OtherWordsAreErrorsThatNameTheVariable) {
  for (const char* name : {"GYRE_COLLECTIVES", "GYRE_INSECURE"}) {
    const auto options = ReadNetworkOptions(Env({{name, "maybe"}}));
    ASSERT_FALSE(options.ok());
    EXPECT_NE(Message(options.status()).find(name), std::string::npos)
        << options.status();
  }
  EXPECT_TRUE(CheckCollectives("two-level").ok());
  EXPECT_FALSE(CheckCollectives("").ok());
}

}  // namespace
}  // namespace gyre::internal::inline tests
