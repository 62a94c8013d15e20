#include "gyre/collectives/grpc/tls_identity.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

class TlsIdentityTest : public testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& text) {
    const std::string path = Cat(dir_.path(), "/", name);
    std::ofstream(path) << text;
    return path;
  }
  std::string Files(const TlsIdentity& identity) {
    return Cat(Write("a", identity.authority),
               ",",
               Write("c", identity.certificate),
               ",",
               Write("k", identity.key));
  }
  static TlsIdentity Make() {
    const auto made = MakeRunIdentity();
    EXPECT_TRUE(made.ok()) << made.status();
    return *made;
  }

  TempDir dir_;
};

TEST_F(TlsIdentityTest, OneOfARunIsReadBackInBothForms) {
  const TlsIdentity made = Make();
  for (const std::string& files :
       {Files(made),
        Write("bundle", Bundle(made)),
        Write("mixed", made.key + made.certificate + made.authority)}) {
    const auto read = ReadTlsIdentity(files);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->authority, made.authority);
    EXPECT_EQ(read->certificate, made.certificate);
    EXPECT_EQ(read->key, made.key);
  }
  EXPECT_NE(Make().key, made.key);
}

TEST_F(TlsIdentityTest, WhatDoesNotFitIsToldApart) {
  const TlsIdentity one = Make();
  const TlsIdentity other = Make();
  struct Case {
    std::string files;
    const char* part;
  };
  const Case cases[] = {
      {"", "auto, off"},
      {"a,b", "three files"},
      {"/nowhere/a,/nowhere/b,/nowhere/c", "cannot read /nowhere/a"},
      {Write("empty", ""), "must hold"},
      {Write("half", one.authority + one.certificate), "must hold"},
  };
  for (const Case& c : cases) {
    const Status status = ReadTlsIdentity(c.files).status();
    EXPECT_NE(Message(status).find(c.part), std::string::npos) << status;
  }
  const auto expect = [&](const TlsIdentity& identity, const char* part) {
    const Status status = ReadTlsIdentity(Files(identity)).status();
    EXPECT_NE(Message(status).find(part), std::string::npos) << status;
  };
  expect({one.authority, one.certificate, other.key}, "not that of the cert");
  expect({other.authority, one.certificate, one.key}, "not one of the auth");
  expect({"x", one.certificate, one.key}, "the authority is no certificate");
  expect({one.authority, "x", one.key}, "the certificate is none");
  expect({one.authority, one.certificate, "x"}, "the key is none");
}

}  // namespace
}  // namespace gyre::internal::inline tests
