/* sort_doubles.c -- an example of libgsort: sort numbers, one a line, in memory.
 * SPDX-License-Identifier: MIT
 *
 *     cc sort_doubles.c $(pkg-config --cflags --libs gsort) -o sort_doubles
 */
#include <gsort.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    struct gsort_error error = GSORT_ERROR_INIT;
    struct gsort_format *format = gsort_format_parse("f64", &error);
    double *numbers = NULL, number;
    size_t count = 0, room = 0;
    while (scanf("%lf", &number) == 1) {
        if (count == room) {
            room = room == 0 ? 1024 : 2 * room;
            double *more = realloc(numbers, room * sizeof *numbers);
            if (more == NULL) {
                free(numbers);
                return 2;
            }
            numbers = more;
        }
        numbers[count++] = number;
    }
    if (format == NULL ||
        gsort_sort(format, numbers, numbers, count, NULL, NULL, &error) != GSORT_OK) {
        fprintf(stderr, "sort_doubles: %s\n", error.line);
        free(numbers);
        return 2;
    }
    for (size_t i = 0; i < count; i++)
        printf("%g\n", numbers[i]);
    gsort_format_free(format);
    free(numbers);
    return 0;
}
