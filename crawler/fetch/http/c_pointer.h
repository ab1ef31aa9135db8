// A deleter for the objects of C libraries: std::unique_ptr<X509, Free<X509_free>>.
#pragma once

namespace linkherd::crawler {

template <auto free_function>
struct Free {
  template <class T>
  void operator()(T* object) const {
    free_function(object);
  }
};

}  // namespace linkherd::crawler
