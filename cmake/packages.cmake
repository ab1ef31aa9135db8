# Configures `cmake --workflow --preset package`: a Debian package, and an archive that contains its libraries and also
# runs on other systems. Both are reproducible: times are the release date or SOURCE_DATE_EPOCH.
set(CPACK_PACKAGE_NAME linkherd)
set(CPACK_PACKAGE_VENDOR linkherd)
set(CPACK_PACKAGE_CONTACT "linkherd maintainers <maintainers@users.noreply.a-seed-4aef20dc.example>")
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_THREADS 0)
set(CPACK_GENERATOR DEB External)
# CPack reads this file once per generator; it sets what differs between them.
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/packaging/generators.cmake)
set(CPACK_LINKHERD_SOURCE_DIR ${PROJECT_SOURCE_DIR})
execute_process(COMMAND date -u -d ${LINKHERD_RELEASE_DATE} +%s OUTPUT_VARIABLE CPACK_LINKHERD_RELEASE_TIME
  OUTPUT_STRIP_TRAILING_WHITESPACE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION web)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS ca-certificates)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "link checker that keeps a history of the links in your documents")
set(CPACK_PACKAGE_DESCRIPTION "linkherd checks the links in lists and documents (Markdown, HTML,
bookmarks, data) politely. It distinguishes dead links from pages that deny
access, reports moved and repeated links, and extracts title, authors and
date of each page. A store keeps earlier results, so that a scheduled run
reports only what changed.")
include(CPack)
