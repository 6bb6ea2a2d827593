/* order_words.cc -- an example of libgsort in C++: the order of fixed words, without moving them.
 * SPDX-License-Identifier: MIT
 *
 *     c++ order_words.cc $(pkg-config --cflags --libs gsort) -o order_words
 */
#include <cstdint>
#include <cstdio>
#include <gsort.h>
#include <iostream>
#include <vector>

int main()
{
    struct Word {
        char text[8];
        std::uint64_t line;
    };
    std::vector<Word> words;
    for (std::string text; std::cin >> text;) {
        Word word = {{}, words.size()};
        text.copy(word.text, sizeof word.text);
        words.push_back(word);
    }
    gsort_error error = GSORT_ERROR_INIT;
    gsort_format *format = gsort_format_parse("R16 k0:b8", &error);
    std::vector<std::uint32_t> order(words.size());
    if (format == nullptr || gsort_argsort(format, words.data(), order.data(), 4, words.size(),
                                           nullptr, &error) != GSORT_OK) {
        std::cerr << "order_words: " << error.line << '\n';
        return 2;
    }
    for (std::uint32_t i : order)
        std::printf("%u %.8s\n", i, words[i].text);
    gsort_format_free(format);
}
