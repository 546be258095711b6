#pragma once

namespace attncheck::page_files {

// page.html, style.css, and the files of script/ in their order. The build makes the source.
extern const char* const kPage;
extern const char* const kStyle;
extern const char* const kScript;

}  // namespace attncheck::page_files
