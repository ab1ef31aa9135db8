// Tests the parser of the URL Standard by tables up to the port: schemes, white space, credentials, ports.
#include <string_view>

#include "tests/parser/url/href_of.h"

using namespace std::literals;
using namespace linkherd::parser;

TEST_CASE("the scheme decides how the rest is parsed") {
  const HrefRow rows[] = {
      {"http://example.com", "http://example.com/"},
      {"HTTP://EXAMPLE.COM/PaTh", "http://example.com/PaTh"},
      {"hTTps:\\\\x", "https://x/"},
      {"ht\ttp://a", "http://a/"},
      {"a1+-.:x", "a1+-.:x"},
      {"1a:x", refused},
      {"+a:x", refused},
      {"a_b:x", refused},
      {"http", refused},
      {"http:", refused},
      {"https:", refused},
      {"://x", refused},
      {"https://", refused},
      {"https:///", refused},
      {"https:///x", "https://x/"},
      {"https:x", "https://x/"},
      {"https:/x", "https://x/"},
      {"https:////x", "https://x/"},
      {"https:\\x", "https://x/"},
      {"ws://h:80/", "ws://h/"},
      {"wss://h:443/", "wss://h/"},
      {"ftp://h:21/x", "ftp://h/x"},
      {"ftp://h:22", "ftp://h:22/"},
      {"http://h:443/", "http://h:443/"},
      {"https://h:80/", "https://h:80/"},
      {"gopher://h:70/", "gopher://h:70/"},
      {"about:blank", "about:blank"},
      {"urn:isbn:0451450523", "urn:isbn:0451450523"},
      {"tel:+1-201", "tel:+1-201"},
      {"javascript:alert(1)//x", "javascript:alert(1)//x"},
      {"mailto:a@b.c?subject=x y", "mailto:a@b.c?subject=x%20y"},
      {"data:text/plain,a%20b", "data:text/plain,a%20b"},
      {"view-source:https://x", "view-source:https://x"},
      {"blob:https://a.com/1-2", "blob:https://a.com/1-2"},
      {"foo:", "foo:"},
      {"foo:?", "foo:?"},
      {"foo:#", "foo:#"},
      {"foo://", "foo://"},
      {"foo:///", "foo:///"},
      {"foo:////x", "foo:////x"},
      {"foo:/", "foo:/"},
      {"foo:/a", "foo:/a"},
      {"foo:a/../b", "foo:a/../b"},
      {"foo:a b", "foo:a b"},
      {"foo: x", "foo: x"},
      {"foo:é", "foo:%C3%A9"},
      {"", refused},
  };
  check_hrefs(rows);
}

TEST_CASE("spaces and line breaks around a URL are removed and those inside are removed or escaped") {
  const HrefRow rows[] = {
      {" http://a/ ", "http://a/"},
      {"\0\037 http://a/\0"sv, "http://a/"},
      {"http://a/ b", "http://a/%20b"},
      {"\nhttp://a/\r\n", "http://a/"},
      {"ht\ntp://a\t/b\r", "http://a/b"},
      {"http://a/b ?c #d ", "http://a/b%20?c%20#d"},
      {"   ", refused},
      {"\t", refused},
      {"http:// a", refused},
      {"http://a .com", refused},
      {"foo:a ", "foo:a"},
      {"foo:a ?q", "foo:a%20?q"},
      {"foo:a #f", "foo:a%20#f"},
      {"foo:a  ?q", "foo:a %20?q"},
      {"foo:a x?q", "foo:a x?q"},
      {"non-special:opaque  x#hi", "non-special:opaque  x#hi"},
      {"data: ?x", "data:%20?x"},
      {"http://a/?q #f f", "http://a/?q%20#f%20f"},
  };
  check_hrefs(rows);
}

TEST_CASE("credentials in a URL end at the last at sign") {
  const HrefRow rows[] = {
      {"http://u@h", "http://u@h/"},
      {"http://u:p@h", "http://u:p@h/"},
      {"http://u:@h", "http://u@h/"},
      {"http://:p@h", "http://:p@h/"},
      {"http://:@h", "http://h/"},
      {"http://@h", "http://h/"},
      {"http://u:p:q@h", "http://u:p%3Aq@h/"},
      {"http://u@v@h", "http://u%40v@h/"},
      {"http://u:p@v:q@h", "http://u:p%40v%3Aq@h/"},
      {"http://@", refused},
      {"http://@/", refused},
      {"http://u@", refused},
      {"http://u@/x", refused},
      {"http://u@:80", refused},
      {"http://u%40x:p@h", "http://u%40x:p@h/"},
      {"http://u/x@h", "http://u/x@h"},
      {"http://u?x@h", "http://u/?x@h"},
      {"http://u#x@h", "http://u/#x@h"},
      {"http://u\\x@h", "http://u/x@h"},
      {"foo://u\\x@h", "foo://u%5Cx@h"},
      {"http://u p@h", "http://u%20p@h/"},
      {"http://ü@h", "http://%C3%BC@h/"},
      {"http://u;=[]|^@h", "http://u%3B%3D%5B%5D%7C%5E@h/"},
      {"http://u!$&'()*+,-._~@h", "http://u!$&'()*+,-._~@h/"},
      {"foo://u:p@h/x", "foo://u:p@h/x"},
      {"foo://@", refused},
      {"foo://u@", refused},
      {"foo://:@h", "foo://h"},
      {"file://u@h/x", refused},
      {"https:u@h", "https://u@h/"},
      {"http://a:b@c@d:80", "http://a:b%40c@d/"},
  };
  check_hrefs(rows);
}

TEST_CASE("ports are numbers up to 65535 and the default port is omitted") {
  const HrefRow rows[] = {
      {"http://h:", "http://h/"},
      {"http://h:/", "http://h/"},
      {"http://h:80", "http://h/"},
      {"http://h:080", "http://h/"},
      {"http://h:0", "http://h:0/"},
      {"http://h:00000", "http://h:0/"},
      {"http://h:65535", "http://h:65535/"},
      {"http://h:65536", refused},
      {"http://h:99999999999999999999", refused},
      {"http://h:8a", refused},
      {"http://h:-1", refused},
      {"http://h: 80", refused},
      {"http://h:8 0", refused},
      {"http://h:8\t0", "http://h/"},
      {"http://h:80:80", refused},
      {"http://:80", refused},
      {"http://:", refused},
      {"foo://h:", "foo://h"},
      {"foo://h:80", "foo://h:80"},
      {"foo://:80", refused},
      {"foo://:", refused},
      {"http://[::1]:81", "http://[::1]:81/"},
      {"http://[::1]81", refused},
      {"http://h:８０", refused},
      {"http://h:81?q", "http://h:81/?q"},
      {"http://h:81#f", "http://h:81/#f"},
      {"http://h:81\\x", "http://h:81/x"},
  };
  check_hrefs(rows);
}
