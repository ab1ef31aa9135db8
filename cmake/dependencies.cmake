# Finds every library that linkherd uses, as an imported target. packaging/debian-packages.txt lists the packages that
# contain them.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS headers)
find_package(CURL REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(RocksDB REQUIRED)
find_package(Protobuf REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(tomlplusplus REQUIRED)
pkg_check_modules(GUMBO REQUIRED IMPORTED_TARGET gumbo)
pkg_check_modules(MD4C REQUIRED IMPORTED_TARGET md4c)
pkg_check_modules(CARES REQUIRED IMPORTED_TARGET libcares)
pkg_check_modules(ICU REQUIRED IMPORTED_TARGET icu-uc icu-i18n)
pkg_check_modules(UCHARDET REQUIRED IMPORTED_TARGET uchardet)

# Every target that uses Asio links this one, so that all of them compile Asio with the same options. Frames and
# handlers are allocated with plain new: Asio's default, std::aligned_alloc, bypasses malloc's per-thread caches.
add_library(linkherd_asio INTERFACE)
target_link_libraries(linkherd_asio INTERFACE Boost::headers)
target_compile_definitions(linkherd_asio INTERFACE BOOST_ASIO_DISABLE_STD_ALIGNED_ALLOC BOOST_ASIO_DISABLE_BOOST_ALIGN)
pkg_check_modules(QPDF REQUIRED IMPORTED_TARGET libqpdf)
pkg_check_modules(PSL REQUIRED IMPORTED_TARGET libpsl)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(BROTLI REQUIRED IMPORTED_TARGET libbrotlidec)
pkg_check_modules(LIBGIT2 REQUIRED IMPORTED_TARGET libgit2)
# Optional: without it, linkherd has no broker support.
pkg_check_modules(RABBITMQ IMPORTED_TARGET librabbitmq)
if(LINKHERD_TCMALLOC)
  pkg_check_modules(TCMALLOC REQUIRED IMPORTED_TARGET libtcmalloc_minimal)
endif()
# Only for tests: the reference for linkherd's Markdown reader. The cmark-gfm extensions have no .pc file.
pkg_check_modules(CMARK_GFM REQUIRED IMPORTED_TARGET libcmark-gfm)
