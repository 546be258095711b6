# FILES become SOURCE: page and style, and one script of all scripts in their order.
set(script "")
foreach(file IN LISTS FILES)
  file(READ ${file} text)
  if(file MATCHES "\\.html$")
    set(page "${text}")
  elseif(file MATCHES "\\.css$")
    set(style "${text}")
  else()
    string(APPEND script "${text}")
  endif()
endforeach()
file(WRITE ${SOURCE} "#include \"harness/html/page_files.h\"

namespace attncheck::page_files {

const char* const kPage = R\"~~~(${page})~~~\";
const char* const kStyle = R\"~~~(${style})~~~\";
const char* const kScript = R\"~~~(${script})~~~\";

}  // namespace attncheck::page_files
")
