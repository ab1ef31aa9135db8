# Finds every library that linkherd uses, as an imported target. packaging/debian-packages.txt lists the packages that
# contain them.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
# By its own configuration: CMake 3.30 and later have no module for it.
find_package(Boost 1.81 CONFIG REQUIRED COMPONENTS headers)
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
# These versions deprecate functions whose successors the c-ares of Debian 12 does not have.
if(CARES_VERSION VERSION_GREATER_EQUAL 1.28)
  target_compile_definitions(PkgConfig::CARES INTERFACE CARES_NO_DEPRECATED)
endif()
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
# Abseil, which newer versions of RE2 use, defines a macro for Windows. doctest reads it, so that g++ would reject the
# precompiled header of the tests.
get_target_property(re2_options PkgConfig::RE2 INTERFACE_COMPILE_OPTIONS)
if(re2_options)
  list(REMOVE_ITEM re2_options -DNOMINMAX)
  set_target_properties(PkgConfig::RE2 PROPERTIES INTERFACE_COMPILE_OPTIONS "${re2_options}")
endif()
pkg_check_modules(BROTLI REQUIRED IMPORTED_TARGET libbrotlidec)
pkg_check_modules(LIBGIT2 REQUIRED IMPORTED_TARGET libgit2)
# Optional: without it, linkherd has no broker support.
pkg_check_modules(RABBITMQ IMPORTED_TARGET librabbitmq)
if(LINKHERD_TCMALLOC)
  pkg_check_modules(TCMALLOC REQUIRED IMPORTED_TARGET libtcmalloc_minimal)
endif()
# Only for tests: the reference for linkherd's Markdown reader. The cmark-gfm extensions have no .pc file.
pkg_check_modules(CMARK_GFM REQUIRED IMPORTED_TARGET libcmark-gfm)
