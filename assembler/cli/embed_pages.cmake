# Write the pages of the manual as C string literals: PAGE("TADD", "text...") each, for
# explain.c.  Called as: cmake -DOUT=file -DFOLDER=docs/isa -P embed_pages.cmake
file(GLOB pages ${FOLDER}/*.md)
set(text "/* Made from docs/isa by embed_pages.cmake. */\n")
foreach(path IN LISTS pages)
    get_filename_component(name ${path} NAME_WE)
    if(name STREQUAL README)
        continue()
    endif()
    # Quoted all the way: semicolons and brackets of the pages must not become lists.
    file(READ ${path} page)
    string(REPLACE "\\" "\\\\" page "${page}")
    string(REPLACE "\"" "\\\"" page "${page}")
    string(REPLACE "\n" "\\n\"\n\"" page "${page}")
    string(APPEND text "PAGE(\"${name}\",\n\"${page}\")\n")
endforeach()
file(WRITE ${OUT} "${text}")
