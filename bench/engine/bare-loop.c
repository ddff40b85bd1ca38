/* The loop of bare-loop.mjs over the same columns. Usage: bare-loop FILE ROWS FAST SLOW FEE
   FILE holds the opens and then the closes as doubles. Prints the ns of the first pass and of the fastest of ten,
   of the wall clock and of the processor, and the equity. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double ns(clockid_t clock) {
  struct timespec at;
  clock_gettime(clock, &at);
  return at.tv_sec * 1e9 + at.tv_nsec;
}

static double pass(const double *open, const double *close, long rows, long fast, long slow, double fee) {
  const double quantity = 0.01;
  double cash = 10000, position = 0, wanted = 0, peak = 10000, deepest = 0, equity = 10000, fast_sum = 0, slow_sum = 0;
  double previous = 0.0 / 0.0;
  for (long at = 0; at < rows; at += 1) {
    if (wanted != position) {
      double change = (wanted - position) * quantity, price = open[at];
      cash -= change * price + (change < 0 ? -change : change) * price * fee;
      position = wanted;
    }
    double price = close[at];
    fast_sum += price;
    slow_sum += price;
    if (at >= fast) fast_sum -= close[at - fast];
    if (at >= slow) slow_sum -= close[at - slow];
    if (at >= slow - 1) {
      double difference = fast_sum / fast - slow_sum / slow;
      if (previous <= 0 && difference > 0) wanted = 1;
      else if (previous >= 0 && difference < 0) wanted = -1;
      previous = difference;
    }
    equity = cash + position * quantity * price;
    if (equity > peak) peak = equity;
    if (peak - equity > deepest) deepest = peak - equity;
  }
  return deepest < 0 ? -1 : equity;
}

int main(int count, char **words) {
  if (count != 6) return 2;
  long rows = atol(words[2]), fast = atol(words[3]), slow = atol(words[4]);
  double fee = atof(words[5]), equity = 0, first[2] = {0, 0}, least[2] = {1e18, 1e18};
  double *columns = malloc(2 * rows * sizeof(double));
  FILE *file = fopen(words[1], "rb");
  if (columns == NULL || file == NULL || fread(columns, sizeof(double), 2 * rows, file) != (size_t)(2 * rows)) return 1;
  fclose(file);
  for (int run = 0; run < 10; run += 1) {
    double wall = ns(CLOCK_MONOTONIC), cpu = ns(CLOCK_PROCESS_CPUTIME_ID);
    equity = pass(columns, columns + rows, rows, fast, slow, fee);
    double took[2] = {ns(CLOCK_MONOTONIC) - wall, ns(CLOCK_PROCESS_CPUTIME_ID) - cpu};
    for (int clock = 0; clock < 2; clock += 1) {
      if (run == 0) first[clock] = took[clock] / rows;
      if (took[clock] / rows < least[clock]) least[clock] = took[clock] / rows;
    }
  }
  printf("{\"first\":{\"wall\":%.3f,\"cpu\":%.3f},\"warm\":{\"wall\":%.3f,\"cpu\":%.3f},\"equity\":%.8f}\n", first[0],
         first[1], least[0], least[1], equity);
  return 0;
}
