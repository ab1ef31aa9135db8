#include "crawler/fetch/certificate_files.h"

#include <memory>
#include <new>

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

namespace linkherd::crawler {

namespace {

// OpenSSL would ask for the password on the terminal.
int no_password(char* /*buffer*/, int /*size*/, int /*writing*/, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

}  // namespace

std::optional<Error> find_client_certificate_fault(const std::string& certificate, const std::string& key) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
  if (!context) throw std::bad_alloc();
  bool asked_for_password = false;
  SSL_CTX_set_default_passwd_cb(context.get(), &no_password);
  SSL_CTX_set_default_passwd_cb_userdata(context.get(), &asked_for_password);
  const std::string& key_file = key.empty() ? certificate : key;
  if (SSL_CTX_use_certificate_chain_file(context.get(), certificate.c_str()) != 1) {
    return Error{certificate + " holds no certificate that can be read (PEM is wanted)"};
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    if (asked_for_password) return Error{"the key in " + key_file + " has a password: store it without one"};
    return Error{key_file + " holds no private key of this certificate (PEM is wanted)"};
  }
  return std::nullopt;
}

std::optional<Error> find_authorities_fault(std::string_view pem) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                                                       &BIO_free);
  if (!text) throw std::bad_alloc();
  bool asked_for_password = false;
  std::size_t certificates = 0;
  while (X509* certificate = PEM_read_bio_X509_AUX(text.get(), nullptr, &no_password, &asked_for_password)) {
    ++certificates;
    X509_free(certificate);
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (certificates == 0) return Error{"holds no certificate that can be read (PEM is wanted)"};
  if (!at_end)
    return Error{fmt::format("holds a certificate that cannot be read, number {}: take it out", certificates + 1)};
  return std::nullopt;
}

}  // namespace linkherd::crawler
