/* Files into memory, all sub-cores one after another, memory into files. */
template <typename T> static std::vector<T> host_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    std::vector<T> data;
    T element;

    while (file && fread(&element, sizeof element, 1, file) == 1)
        data.push_back(element);
    if (file)
        fclose(file);
    return data;
}
template <typename T> static void host_write(const char *path, const std::vector<T> &data)
{
    FILE *file = fopen(path, "wb");

    fwrite(data.data(), sizeof(T), data.size(), file);
    fclose(file);
}
static void host_end()
{
    for (auto &flag : flags)
        host_check(!flag.second, "a flag is left");
}
/* Of each block the cube's program, then those of its vector sub-cores. */
template <typename C, typename V>
static void host_launch(int64_t blocks, int64_t vectors, C cube, V vector)
{
    block_num = blocks;
    sub_num = vectors;
    for (block_idx = 0; block_idx < blocks; block_idx++) {
        is_cube = true;
        cube();
        host_end();
        is_cube = false;
        for (sub_id = 0; sub_id < vectors; sub_id++) {
            vector();
            host_end();
        }
        sub_id = 0;
        for (auto &count : counts)
            host_check(!count.second, "a cross-core flag is left");
    }
}
