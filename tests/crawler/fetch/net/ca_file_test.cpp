#include "crawler/fetch/net/ca_file.h"

#include <doctest/doctest.h>

#include "tests/support/temp_dir.h"

using linkherd::tests::TempDir;

namespace linkherd::crawler {

TEST_CASE("the CA certificates are found where each system keeps them") {
  struct System {
    const char* name;
    const char* file;
  };
  for (const System& system :
       {System{"Debian, Arch, Alpine", "etc/ssl/certs/ca-certificates.crt"},
        System{"Fedora, RHEL", "etc/pki/tls/certs/ca-bundle.crt"},
        System{"newer Fedora", "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"},
        System{"openSUSE", "etc/ssl/ca-bundle.pem"}, System{"openSUSE", "var/lib/ca-certificates/ca-bundle.pem"},
        System{"NixOS", "etc/ssl/certs/ca-bundle.crt"}, System{"OpenBSD", "etc/ssl/cert.pem"},
        System{"FreeBSD", "usr/local/share/certs/ca-root-nss.crt"}, System{"FreeBSD", "usr/local/etc/ssl/cert.pem"},
        System{"NetBSD", "etc/openssl/certs/ca-certificates.crt"}}) {
    CAPTURE(system.name);
    const TempDir root;
    CHECK(find_ca_file("", root.path()) == "");
    const std::string file = root.write(system.file, "certificates");
    CHECK(find_ca_file("", root.path()) == file);
  }
}

TEST_CASE("SSL_CERT_FILE comes before the usual places, if it names a readable file") {
  const TempDir root;
  const std::string usual = root.write("etc/pki/tls/certs/ca-bundle.crt", "certificates");
  const std::string named = root.write("my/own.pem", "certificates");
  CHECK(find_ca_file(named, root.path()) == named);
  CHECK(find_ca_file((root / "nowhere.pem").string(), root.path()) == usual);
  CHECK(find_ca_file((root / "my").string(), root.path()) == usual);  // a folder
}

TEST_CASE("a folder in a usual place is no file of certificates") {
  const TempDir root;
  root.write("etc/ssl/cert.pem/x", "");
  const std::string file = root.write("usr/local/etc/ssl/cert.pem", "certificates");
  CHECK(find_ca_file("", root.path()) == file);
}

}  // namespace linkherd::crawler
